// Nozzle of the FDA benchmark, half plane of z = x, r = y, quads, m: tube of radius 6 mm, cone of 22.685 mm, throat of radius 2 mm and 40 mm long, sudden
// expansion at x = 0 back to 6 mm. gmsh -2 fda_nozzle.geo -format msh22 -o fda_nozzle.msh
// a, l: lengths before the cone and behind the throat; na, nc, nt, nl: cells along the parts; n, m: across the throat's radius and from it to 6 mm.
DefineConstant[ a = 0.03, l = 0.3, na = 16, nc = 32, nt = 44, nl = 84, n = 16, m = 20 ];
R = 0.006; r = 0.002; t = 0.04; c = 0.022685;
Point(1) = {-t - c - a, 0, 0}; Point(2) = {-t - c, 0, 0}; Point(3) = {-t, 0, 0}; Point(4) = {0, 0, 0}; Point(5) = {l, 0, 0};
Point(6) = {-t - c - a, R, 0}; Point(7) = {-t - c, R, 0}; Point(8) = {-t, r, 0}; Point(9) = {0, r, 0}; Point(10) = {l, r, 0};
Point(11) = {0, R, 0}; Point(12) = {l, R, 0};
Line(1) = {2, 1}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {7, 6}; Line(6) = {7, 8}; Line(7) = {8, 9}; Line(8) = {9, 10};
Line(9) = {11, 12}; Line(10) = {1, 6}; Line(11) = {2, 7}; Line(12) = {3, 8}; Line(13) = {4, 9}; Line(14) = {5, 10}; Line(15) = {9, 11}; Line(16) = {10, 12};
Transfinite Curve{1, 5} = na + 1 Using Progression 1.08;
Transfinite Curve{2, 6} = nc + 1 Using Progression 0.96;
Transfinite Curve{3, 7} = nt + 1 Using Bump 0.3;
Transfinite Curve{4, 8, 9} = nl + 1 Using Progression 1.035;
Transfinite Curve{10, 11, 12, 13, 14} = n + 1 Using Progression 0.93;
Transfinite Curve{15, 16} = m + 1 Using Progression 1.08;
Curve Loop(1) = {-1, 11, 5, -10}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 12, -6, -11}; Plane Surface(2) = {2};
Curve Loop(3) = {3, 13, -7, -12}; Plane Surface(3) = {3};
Curve Loop(4) = {4, 14, -8, -13}; Plane Surface(4) = {4};
Curve Loop(5) = {8, 16, -9, -15}; Plane Surface(5) = {5};
Transfinite Surface{1, 2, 3, 4, 5}; Recombine Surface{1, 2, 3, 4, 5};
Physical Surface("fluid") = {1, 2, 3, 4, 5};
Physical Curve("inlet") = {10}; Physical Curve("outlet") = {14, 16}; Physical Curve("axis") = {1, 2, 3, 4};
Physical Curve("nozzle") = {5, 6, 7, 15}; Physical Curve("tube") = {9};
