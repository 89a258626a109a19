// Backward-facing step of Gartling (1990): the channel behind the step alone, 0 < x < 30, height 1, inlet above the middle; quads.
// gmsh -2 step.geo -format msh22 -o step.msh
// ny: cells of half the height; nx: along, denser at the step.
DefineConstant[ ny = 22, nx = 170 ];
Point(1) = {0, -0.5, 0}; Point(2) = {30, -0.5, 0}; Point(3) = {30, 0, 0}; Point(4) = {30, 0.5, 0}; Point(5) = {0, 0.5, 0}; Point(6) = {0, 0, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {5, 4}; Line(5) = {6, 5}; Line(6) = {1, 6}; Line(7) = {6, 3};
Transfinite Curve {1, 4, 7} = nx + 1 Using Progression 1.012;
Transfinite Curve {2, 3, 5, 6} = ny + 1;
Curve Loop(1) = {1, 2, -7, -6}; Curve Loop(2) = {7, 3, -4, -5};
Plane Surface(1) = {1}; Plane Surface(2) = {2};
Transfinite Surface {1, 2}; Recombine Surface {1, 2};
Physical Surface("fluid") = {1, 2};
Physical Curve("inlet") = {5}; Physical Curve("step") = {6}; Physical Curve("bottom") = {1}; Physical Curve("top") = {4}; Physical Curve("outlet") = {2, 3};
