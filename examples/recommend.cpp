// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration of the least energy, at most 10 % slower than the fastest, from a table of runs:
// c++ recommend.cpp $(pkg-config --cflags --libs memwall)
#include <memwall/memwall.h>

#include <iostream>
#include <memory>

template <typename T, void (*Free)(T *)> struct deleter {
    void operator()(T *p) const { Free(p); }
};
template <typename T, void (*Free)(T *)> using handle = std::unique_ptr<T, deleter<T, Free>>;

int main(int argc, char **argv)
{
    mw_error error{};
    mw_dataset *read = nullptr;
    mw_model *fitted = nullptr;
    mw_recommendation *made = nullptr;
    mw_goal goal{};
    goal.has_slowdown = true;
    goal.max_slowdown = .1;
    if (argc != 2)
        return 2;
    mw_err err = mw_dataset_load(&read, argv[1], nullptr, &error);
    handle<mw_dataset, mw_dataset_free> dataset(read);
    if (!err)
        err = mw_model_fit(&fitted, dataset.get(), nullptr, &error);
    handle<mw_model, mw_model_free> model(fitted);
    if (!err) {
        goal.objective = mw_model_has_power(model.get()) ? MW_OBJECTIVE_ENERGY : MW_OBJECTIVE_TIME;
        err = mw_recommendation_alloc(&made, model.get(), &goal, nullptr, &error);
    }
    handle<mw_recommendation, mw_recommendation_free> recommendation(made);
    if (err) {
        std::cerr << error.message << '\n';
        return 1;
    }
    mw_outcome choice{};
    mw_recommendation_choice(recommendation.get(), &choice);
    std::cout << choice.config.cores << " cores at " << choice.config.freq_hz / 1e9 << " GHz: " << choice.time_s
              << " s, sure to " << 100 * choice.chance << " %\n";
}
