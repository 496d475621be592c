# SPDX-License-Identifier: GPL-3.0-or-later
# The figures of scikit-learn that tests/unit/test_learners.c has: python3 bench/learners_sklearn.py (python3-sklearn).
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

cores = np.tile(np.arange(1, 9), 4)
freq = np.repeat(1 + 0.3 * np.arange(4), 8)
y = np.log(0.05 + 1 / cores) - 0.7 * np.log(freq) + 0.02 * np.sin(5 * cores + 3 * freq)
scaler = StandardScaler().fit(np.c_[np.log(cores), np.log(freq)])
x = scaler.transform(np.c_[np.log(cores), np.log(freq)])
query = scaler.transform(np.c_[np.log(1.5 + np.arange(7)), np.full(7, np.log(1.15))])
mean = y.mean()


def show(name, values):
    print(name, *("%.12g" % v for v in values))


show("ridge", KernelRidge(alpha=1e-2, kernel="rbf", gamma=0.5).fit(x, y - mean).predict(query) + mean)
show("svr", SVR(C=10, gamma=0.5, epsilon=0.01).fit(x, y).predict(query))
show("tree", DecisionTreeRegressor(min_samples_leaf=2, random_state=0).fit(x, y).predict(query))
process = GaussianProcessRegressor(1.0 * RBF([1.5, 2.0]) + WhiteKernel(1e-4), optimizer=None).fit(x, y - mean)
show("process", process.predict(query) + mean)
show("log likelihood", [process.log_marginal_likelihood_value_])
