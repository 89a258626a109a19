// Annulus between circles of radius 0.5 and 1; quads.
// gmsh -2 annulus.geo -format msh22 -o annulus.msh
// nr: cells across; nt: cells of a quarter.
DefineConstant[ nr = 12, nt = 16 ];
Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {0.5 * Cos(k * Pi / 2), 0.5 * Sin(k * Pi / 2), 0};
  Point(20 + k) = {Cos(k * Pi / 2), Sin(k * Pi / 2), 0};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4}; Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4}; Line(30 + k) = {10 + k, 20 + k};
EndFor
Transfinite Curve {10:13, 20:23} = nt + 1; Transfinite Curve {30:33} = nr + 1;
For k In {0:3}
  Curve Loop(k + 1) = {30 + k, 20 + k, -(30 + (k + 1) % 4), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Transfinite Surface {1:4}; Recombine Surface {1:4};
Physical Surface("fluid") = {1:4};
Physical Curve("inner") = {10:13}; Physical Curve("outer") = {20:23};
