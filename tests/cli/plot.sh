#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures: every kind of table and of model, in every format that gnuplot has, and what can't be drawn.
. "$(dirname "$0")/../tap.sh"
command -v gnuplot >/dev/null || exit 77
cd "$tmp" || exit 1

printf 'cores,freq_ghz,freq_effective_ghz,kernel,best_mb_s\n1,,3,copy,20000\n2,,3,copy,38000\n1,,3,triad,21000\n2,,3,triad,39000\n' >stream.csv
printf '# caches_reported: L1d 32 KiB x 2, L2 1024 KiB x 2, L3 32 MiB x 1\nworking_set_bytes,latency_ns,page_bytes,pattern\n2048,1.1,4096,random\n65536,4,4096,random\n8388608,90,4096,random\n' >latency.csv
printf 'cores,precision,variant,gflop_s\n1,fp64,avx2-fma,50\n2,fp64,avx2-fma,100\n1,fp32,avx2-fma,100\n2,fp32,avx2-fma,200\n' >flops.csv
printf "workload,cores,freq_ghz,repetition,time_s\nit's,1,1.2,1,10\nit's,1,1.2,2,10.2\nit's,2,1.2,1,5.4\n" >runs.csv
printf 'test,size_bytes,offset_bytes,stride_bytes,mb_s\nread,65536,0,,50000\nread,1048576,0,,30000\nstrided-read,1048576,0,256,9000\n' >bandwidth.csv
printf 'cores,latency_ns,bandwidth_mb_s,mix\n2,90,1000,read\n2,120,9000,read\n' >loaded.csv
for table in stream latency flops runs bandwidth loaded; do
    check "$table as text" "$memwall" plot $table.csv
    prints "$table has axes" '[+|]'
    check "$table as svg" "$memwall" plot $table.csv -o $table.svg
    check "$table is an svg" grep -q '</svg>' $table.svg
done
check 'strides have a panel of their own' grep -q 'reads of memory at strides' bandwidth.svg
fails 1 'and offsets none where none were measured' grep -q 'over the offset' bandwidth.svg
printf '# cpu_model: X\nscan,size_bytes,latency_ns,lines\nsize,2048,1.1,\nsize,65536,4,\nline,64,4,\nline,128,4.1,\nways1,4096,,12\nways1,8192,,12\ntlb,262144,1.2,\ntlb,524288,3,\nforward,64,5,\nrandom,64,90,\n' >curve.csv
printf 'cores,level,property,value,reported,verdict\n1,1,capacity_bytes,49152,32768,differs\n1,tlb1,entries,64,64,agrees\n' >cache.csv
check 'the curves of cache' "$memwall" plot curve.csv -o curve.svg
for panel in 'working set' 'line size' 'associativity' 'TLB' 'prefetchers'; do check "a panel: $panel" grep -q "$panel" curve.svg; done
fails 1 'nothing found is marked without its table' grep -q 'L1 found' curve.svg
check 'their axes' grep -q 'ns a load' curve.svg
check 'the curves with what was found' "$memwall" plot cache.csv curve.csv -o cache.svg
for mark in 'L1 found' 'L1 reported' 'tlb1 found' 'tlb1 reported'; do check "marked: $mark" grep -q "$mark" cache.svg; done
check 'as text' "$memwall" plot curve.csv
fails 3 'single numbers are no picture' "$memwall" plot cache.csv
says 'and it says why' 'single numbers'
says 'and what is' 'plot cache.csv curve.csv'
printf 'cores,latency_ns,bandwidth_mb_s,reads_percent\n2,90,1000,100\n2,120,9000,100\n2,90,1000,67\n2,130,9000,67\n' >mixes.csv
check 'loads of two mixes' "$memwall" plot mixes.csv -o mixes.svg
check 'a legend in words' grep -q '67 % reads, else lines written back' mixes.svg
printf 'cores,freq_ghz,time_s,time_low_s,time_high_s\n1,2,10,9,11\n2,2,6,5,7\n' >predict.csv
check 'predictions' "$memwall" plot predict.csv -o predict.svg
check 'as what they are' grep -q 'predicted' predict.svg
printf 'method,train_points,error_percent\nvls,5,10\nvls,10,8\n' >compare.csv
check 'errors of compare' "$memwall" plot compare.csv -o compare.svg
check 'runs are titled by their program' grep -qE '>(<!\[CDATA\[)?its(\]\]>)?<' runs.svg
check 'caches are marked' grep -q '>L1d<' latency.svg
check 'roofline' "$memwall" plot flops.csv stream.csv -o roofline.svg
check 'its labels' grep -q 'FLOP/byte' roofline.svg
check 'roofs of two cores' grep -q 'fp64, 2 cores: 39 GB/s, 100 GFLOP/s' roofline.svg
check 'and of one, named' grep -q 'fp64, 1 core: 21 GB/s, 50 GFLOP/s' roofline.svg
grep -v '^2' stream.csv >stream1.csv
grep -v '^1' flops.csv >flops2.csv
fails 3 'no roof of one core over the arithmetic of two' "$memwall" plot flops2.csv stream1.csv
says 'and what to do' 'same --cores'
(echo '# cpu_model: A'; cat stream.csv) >streamA.csv
(echo '# cpu_model: B'; cat flops.csv) >flopsB.csv
fails 3 'no roof of two machines' "$memwall" plot flopsB.csv streamA.csv
says 'which are named' "'B'.*'A'"
check 'either order' "$memwall" plot stream.csv flops.csv --force -o roofline.svg
fails 3 'no other pair' "$memwall" plot stream.csv latency.csv
{
    echo '# device 1: Card (gpu by gles); vendor V; platform P'
    echo 'device,api,kernel,variant,condition,size_bytes,value,unit,valid,factor'
    echo '1,gles,pixel-fill,one-target,clean,1048576,1000,Mpixel/s,1,1'
    echo '1,gles,pixel-fill,one-target,blend,1048576,400,Mpixel/s,1,2.5'
    echo '1,gles,pixel-fill,one-target,rgba16f,1048576,9000,Mpixel/s,0,0.11'
    echo '0,opencl,fp32,float-x1,best,0,900,GFLOP/s,1,'
    echo '0,opencl,copy,float4,memory,67108864,80,GB/s,1,'
    echo '0,opencl,copy,float4,memory,1048576,300,GB/s,1,'
} >gpu.csv
check 'factors of fill rates' "$memwall" plot gpu.csv -o gpu.svg
check 'a bar of each' grep -q '>pixel-fill: blend<' gpu.svg
fails 1 'but of none that is not valid' grep -q 'rgba16f' gpu.svg
check 'rooflines of both processors' "$memwall" plot gpu.csv flops.csv stream.csv -o roofs.svg
check 'memory at the largest size' grep -q 'GPU-fp32: 80 GB/s, 900 GFLOP/s' roofs.svg
grep -v fill gpu.csv >memory.csv
check 'bandwidth of a device over sizes' "$memwall" plot memory.csv -o memory.svg
fails 3 'three that are no roofline' "$memwall" plot stream.csv flops.csv latency.csv
check 'png' "$memwall" plot stream.csv -o stream.png
check 'is a png' test "$(head -c 4 stream.png | tail -c 3)" = PNG
fails 1 'never overwrites' "$memwall" plot stream.csv -o stream.svg
says 'and names the remedy' '^hint: --force'
check 'with --force' "$memwall" plot stream.csv --force -o stream.svg
fails 2 'an unknown format' "$memwall" plot stream.csv -o stream.jpeg
says 'lists the formats' 'svg, png, pdf and dumb'
fails 3 'a table of something else' "$memwall" plot <(printf 'a,b\n1,2\n')
fails 1 'no such file' "$memwall" plot nothing.csv
check 'decimal commas in the locale' env LC_ALL=de_DE.UTF-8 "$memwall" plot stream.csv --force -o stream.svg
check 'no trace is left' test -z "$(ls "${TMPDIR:-/tmp}" | grep "memwall-plot-.*$$" || true)"

"$memwall" fit "$root/data/examples/canneal.csv" -o model.json 2>/dev/null
for kind in speedup time energy heatmap; do
    check "model: $kind" "$memwall" plot model.json --kind $kind -o $kind.svg
    check "$kind is an svg" grep -q '</svg>' $kind.svg
done
check 'five of thirteen frequencies, and it says so' grep -q '5 of 13 frequencies' speedup.svg
check 'bands of the first and the last, in two elements each, and one of the legend' test "$(grep -c "fill-opacity = '0.15" speedup.svg)" = 5
check 'the colour bar has five values' test "$(grep -cE '>[0-9.]+e.0[0-9]<' heatmap.svg)" = 5
check 'speedup as text' "$memwall" plot model.json
printf 'cores,time_s\n1,10\n2,5.5\n4,3\n' | "$memwall" fit - -o flat.json 2>/dev/null
fails 4 'no heat map of one frequency' "$memwall" plot flat.json --kind heatmap
check 'its speedup all the same' "$memwall" plot flat.json

check 'report' "$memwall" report model.json -o report.html
check 'is one page with pictures' grep -q '<svg' report.html
check 'report with a device' "$memwall" report model.json --gpu gpu.csv -o gpu.html
check 'has its section' grep -q '<h2 id=gpu>Graphics processors</h2>' gpu.html
check 'and says what is not valid' grep -q 'not valid' gpu.html
fails 3 'no other table' "$memwall" report model.json --gpu stream.csv -o other.html
fails 1 'nothing outside is loaded' grep -qE '(src|href)=.?https?:' report.html
fails 77 'without gnuplot' env PATH=/nonexistent "$memwall" plot stream.csv
