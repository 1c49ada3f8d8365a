set terminal pdfcairo size 10.5in,6in font 'sans,13' noenhanced background '#ffffff'
set encoding utf8
set lmargin at screen 0.085
set rmargin at screen 0.655
set bmargin at screen 0.125
set tmargin at screen 0.855
set logscale xy
set xrange [0.0125296808:5636.76586]
set yrange [5.01187234e+09:2.53654464e+15]
set border 3 linecolor '#555555' linewidth 1
set tics nomirror textcolor '#333333' scale 0.8,0.4
set grid xtics ytics linetype 1 linewidth 1 linecolor '#e8e8e8'
set xlabel 'operational intensity: flop per byte' textcolor '#222222'
set ylabel 'flop/s' textcolor '#222222'
set xtics ('' 2e-2 1, '' 3e-2 1, '' 4e-2 1, '' 5e-2 1, '' 6e-2 1, '' 7e-2 1, '' 8e-2 1, '' 9e-2 1, '0.1' 1e-1 0, '' 2e-1 1, '' 3e-1 1, '' 4e-1 1, '' 5e-1 1, '' 6e-1 1, '' 7e-1 1, '' 8e-1 1, '' 9e-1 1, '1' 1e0 0, '' 2e0 1, '' 3e0 1, '' 4e0 1, '' 5e0 1, '' 6e0 1, '' 7e0 1, '' 8e0 1, '' 9e0 1, '10' 1e1 0, '' 2e1 1, '' 3e1 1, '' 4e1 1, '' 5e1 1, '' 6e1 1, '' 7e1 1, '' 8e1 1, '' 9e1 1, '100' 1e2 0, '' 2e2 1, '' 3e2 1, '' 4e2 1, '' 5e2 1, '' 6e2 1, '' 7e2 1, '' 8e2 1, '' 9e2 1, '1000' 1e3 0, '' 2e3 1, '' 3e3 1, '' 4e3 1, '' 5e3 1)
set ytics ('' 6e9 1, '' 7e9 1, '' 8e9 1, '' 9e9 1, '10 G' 1e10 0, '' 2e10 1, '' 3e10 1, '' 4e10 1, '' 5e10 1, '' 6e10 1, '' 7e10 1, '' 8e10 1, '' 9e10 1, '100 G' 1e11 0, '' 2e11 1, '' 3e11 1, '' 4e11 1, '' 5e11 1, '' 6e11 1, '' 7e11 1, '' 8e11 1, '' 9e11 1, '1 T' 1e12 0, '' 2e12 1, '' 3e12 1, '' 4e12 1, '' 5e12 1, '' 6e12 1, '' 7e12 1, '' 8e12 1, '' 9e12 1, '10 T' 1e13 0, '' 2e13 1, '' 3e13 1, '' 4e13 1, '' 5e13 1, '' 6e13 1, '' 7e13 1, '' 8e13 1, '' 9e13 1, '100 T' 1e14 0, '' 2e14 1, '' 3e14 1, '' 4e14 1, '' 5e14 1, '' 6e14 1, '' 7e14 1, '' 8e14 1, '' 9e14 1, '1 P' 1e15 0, '' 2e15 1)
set label 'Roofline: Round GPU, run 21' at screen 0.085,0.955 left front textcolor '#111111' font ',18'
set label 'Roofs as measured on this device. Filled: DRAM bytes; hollow: L2 and L1 bytes. Large and hollow: operations of the work model, not counted.' at screen 0.085,0.908 left front textcolor '#666666'
set arrow from 0.0125296808,4.00949787e+11 to 28.125,9e+14 nohead back linewidth 1.5 linecolor '#999999' dashtype 2
set label 'shared 32.0 TB/s (shared_read)' at 0.0157933618,5.05387577e+11 left rotate by 35.95 offset character -0.6,0.85 textcolor '#777777' back
set arrow from 0.0125296808,2.00474893e+11 to 56.25,9e+14 nohead back linewidth 1.5 linecolor '#999999' dashtype 2
set label 'L1 16.0 TB/s (l1_read)' at 0.0161252139,2.58003422e+11 left rotate by 35.95 offset character -0.6,0.85 textcolor '#777777' back
set arrow from 0.0125296808,1.00237447e+11 to 112.5,9e+14 nohead back linewidth 1.5 linecolor '#999999' dashtype 2
set label 'L2 8.00 TB/s (l2_read)' at 0.0164640389,1.31712311e+11 left rotate by 35.95 offset character -0.6,0.85 textcolor '#777777' back
set arrow from 0.0125296808,5.01187234e+10 to 225,9e+14 nohead back linewidth 2.5 linecolor '#333333'
set label 'DRAM 4.00 TB/s (dram_read)' at 0.0168099834,6.72399335e+10 left rotate by 35.95 offset character -0.6,0.85 textcolor '#333333' back
set arrow from 28.125,9e+14 to 5636.76586,9e+14 nohead back linewidth 2.5 linecolor '#333333'
set label 'tensor_f16 900 TFLOP/s (tensor_f16)' at 5636.76586,9e+14 right offset character -0.3,0.7 textcolor '#333333' back
set arrow from 3.125,1e+14 to 5636.76586,1e+14 nohead back linewidth 2.5 linecolor '#333333'
set label 'f16 100 TFLOP/s (f16_fma)' at 5636.76586,1e+14 right offset character -0.3,0.7 textcolor '#333333' back
set arrow from 2,6.4e+13 to 5636.76586,6.4e+13 nohead back linewidth 2.5 linecolor '#333333'
set label 'f32 64.0 TFLOP/s (fp32_fma)' at 5636.76586,6.4e+13 right offset character -0.3,0.7 textcolor '#333333' back
set arrow from 1,3.2e+13 to 5636.76586,3.2e+13 nohead back linewidth 2.5 linecolor '#333333'
set label 'f64 32.0 TFLOP/s (fp64_fma)' at 5636.76586,3.2e+13 right offset character -0.3,0.7 textcolor '#333333' back
set label '2 not drawn: no operations, bytes or time' at screen 0.985,0.055 right front textcolor '#666666'
set key at screen 0.675,0.875 left top Left reverse samplen 1 spacing 1.25 textcolor '#222222'
$point0 << END
0.25 7.5e+11
0.25 7.5e+11
0.25 7.5e+11
END
$point1 << END
255.595238 6.13428571e+12
14.3133333 6.13428571e+12
14.3133333 6.13428571e+12
END
$point2 << END
128 2.56e+13
64 2.56e+13
64 2.56e+13
END
$point3 << END
57.6 2.88e+13
28.8 2.88e+13
14.4 2.88e+13
END
$point4 << END
375 7.5e+13
187.5 7.5e+13
187.5 7.5e+13
END
$point5 << END
2000 6e+14
1000 6e+14
1000 6e+14
END
$point6 << END
0.025 1e+10
0.025 1e+10
0.025 1e+10
END
$point7 << END
10 1e+12
10 1e+12
10 1e+12
END
$point8 << END
0.172413793 5e+11
0.166666667 5e+11
0.166666667 5e+11
END
plot 1e-300 notitle, $point0 with lines linewidth 1 linecolor '#114fba' dashtype 3 notitle, $point0 every ::1 with points pointtype 6 pointsize 0.9 linewidth 1.5 linecolor '#114fba' notitle, $point0 every ::0::0 with points pointtype 7 pointsize 2.1 linecolor '#ffffff' notitle, $point0 every ::0::0 with points pointtype 7 pointsize 1.6 linecolor '#114fba' title 'reduce/last_block  dram 75 %', $point1 with lines linewidth 1 linecolor '#954e02' dashtype 3 notitle, $point1 every ::1 with points pointtype 4 pointsize 0.9 linewidth 1.5 linecolor '#954e02' notitle, $point1 every ::0::0 with points pointtype 5 pointsize 2.1 linecolor '#ffffff' notitle, $point1 every ::0::0 with points pointtype 5 pointsize 1.6 linecolor '#954e02' title 'matmul/tiled  shared 80 %', $point2 with lines linewidth 1 linecolor '#1f420c' dashtype 3 notitle, $point2 every ::1 with points pointtype 8 pointsize 0.9 linewidth 1.5 linecolor '#1f420c' notitle, $point2 every ::0::0 with points pointtype 9 pointsize 2.1 linecolor '#ffffff' notitle, $point2 every ::0::0 with points pointtype 9 pointsize 1.6 linecolor '#1f420c' title 'divergence/long  compute 40 %', $point3 with lines linewidth 1 linecolor '#5c205d' dashtype 3 notitle, $point3 every ::1 with points pointtype 12 pointsize 0.9 linewidth 1.5 linecolor '#5c205d' notitle, $point3 every ::0::0 with points pointtype 13 pointsize 2.1 linecolor '#ffffff' notitle, $point3 every ::0::0 with points pointtype 13 pointsize 1.6 linecolor '#5c205d' title 'gemm64/registers  compute 90 %', $point4 with lines linewidth 1 linecolor '#a97e1a' dashtype 3 notitle, $point4 every ::1 with points pointtype 10 pointsize 0.9 linewidth 1.5 linecolor '#a97e1a' notitle, $point4 every ::0::0 with points pointtype 11 pointsize 2.1 linecolor '#ffffff' notitle, $point4 every ::0::0 with points pointtype 10 pointsize 1.6 linecolor '#a97e1a' title 'half/packed (model)  compute 75 %', $point5 with lines linewidth 1 linecolor '#8b5cee' dashtype 3 notitle, $point5 every ::1 with points pointtype 14 pointsize 0.9 linewidth 1.5 linecolor '#8b5cee' notitle, $point5 every ::0::0 with points pointtype 15 pointsize 2.1 linecolor '#ffffff' notitle, $point5 every ::0::0 with points pointtype 15 pointsize 1.6 linecolor '#8b5cee' title 'product/tensor  tensor 67 %', $point6 with lines linewidth 1 linecolor '#0093be' dashtype 3 notitle, $point6 every ::1 with points pointtype 6 pointsize 0.9 linewidth 1.5 linecolor '#0093be' notitle, $point6 every ::0::0 with points pointtype 7 pointsize 2.1 linecolor '#ffffff' notitle, $point6 every ::0::0 with points pointtype 7 pointsize 1.6 linecolor '#0093be' title 'waits/alone  latency', $point7 with lines linewidth 1 linecolor '#f24888' dashtype 3 notitle, $point7 every ::1 with points pointtype 4 pointsize 0.9 linewidth 1.5 linecolor '#f24888' notitle, $point7 every ::0::0 with points pointtype 5 pointsize 2.1 linecolor '#ffffff' notitle, $point7 every ::0::0 with points pointtype 5 pointsize 1.6 linecolor '#f24888' title 'ev\x1b[31mil\n\xff,"quoted"|<b>&`*_é\/i…', $point8 with lines linewidth 1 linecolor '#114fba' dashtype 3 notitle, $point8 every ::1 with points pointtype 4 pointsize 0.9 linewidth 1.5 linecolor '#114fba' notitle, $point8 every ::0::0 with points pointtype 5 pointsize 2.1 linecolor '#ffffff' notitle, $point8 every ::0::0 with points pointtype 5 pointsize 1.6 linecolor '#114fba' title 'mine/saxpy  dram 72 %'
