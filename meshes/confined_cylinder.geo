// Cylinder of radius 1 in a channel of half-height 2 (blockage 1/2), x in [-lup, ldown]; blocks, refined towards the
// cylinder. full = 0: upper half, axis at y = 0; full = 1: both halves, symmetric about the axis.
// n cells to an eighth of the circle: n = 14 gives about 2000 nodes of the half domain, n = 27 about 7200.
// gmsh -2 -setnumber n 14 -setnumber full 0 -setnumber quads 1 confined_cylinder.geo -o confined_cylinder_half.msh
// quads = 0: triangles, each quad cut along the same diagonal; alternate = 1: along one and the other in turn.
// sphere = 1: the half plane of a sphere in a tube; the label of the circle is sphere.
DefineConstant[ n = 14, full = 0, quads = 1, alternate = 0, sphere = 0, lup = 8, ldown = 10 ];
nr = Round(18*n/14);   // from the cylinder outwards
nup = Round(24*n/14);  // along the channel, upstream
ndown = Round(30*n/14);
grow = 1.04^(14/n);    // ratio of neighbouring cells outwards
along = 1.06^(14/n);
d = Sqrt(0.5);

// The axis and the cylinder's ends, shared by the halves.
Point(1) = {0, 0, 0};
Point(2) = {-lup, 0, 0};
Point(3) = {-2, 0, 0};
Point(4) = {-1, 0, 0};
Point(5) = {1, 0, 0};
Point(6) = {2, 0, 0};
Point(7) = {ldown, 0, 0};
Line(1) = {3, 2};
Line(2) = {4, 3};
Line(3) = {5, 6};
Line(4) = {6, 7};
Transfinite Curve {1} = nup + 1 Using Progression along;
Transfinite Curve {2, 3} = nr + 1 Using Progression grow;
Transfinite Curve {4} = ndown + 1 Using Progression along;

For half In {0 : full}
  s = 1 - 2*half;
  p = 10 + 10*half;
  c = 10 + 20*half;
  Point(p) = {-lup, 2*s, 0};
  Point(p + 1) = {-2, 2*s, 0};
  Point(p + 2) = {2, 2*s, 0};
  Point(p + 3) = {ldown, 2*s, 0};
  Point(p + 4) = {-d, d*s, 0};
  Point(p + 5) = {d, d*s, 0};
  Line(c) = {2, p};
  Line(c + 1) = {p + 1, p};
  Line(c + 2) = {p + 1, p + 2};
  Line(c + 3) = {p + 2, p + 3};
  Line(c + 4) = {7, p + 3};
  Line(c + 5) = {3, p + 1};
  Line(c + 6) = {6, p + 2};
  Circle(c + 7) = {4, 1, p + 4};
  Circle(c + 8) = {p + 4, 1, p + 5};
  Circle(c + 9) = {5, 1, p + 5};
  Line(c + 10) = {p + 4, p + 1};
  Line(c + 11) = {p + 5, p + 2};
  Transfinite Curve {c, c + 4, c + 5, c + 6, c + 7, c + 9} = n + 1;
  Transfinite Curve {c + 2, c + 8} = 2*n + 1;
  Transfinite Curve {c + 1} = nup + 1 Using Progression along;
  Transfinite Curve {c + 3} = ndown + 1 Using Progression along;
  Transfinite Curve {c + 10, c + 11} = nr + 1 Using Progression grow;
  Curve Loop(c) = {1, c, -(c + 1), -(c + 5)};
  Curve Loop(c + 1) = {2, c + 5, -(c + 10), -(c + 7)};
  Curve Loop(c + 2) = {c + 10, c + 2, -(c + 11), -(c + 8)};
  Curve Loop(c + 3) = {3, c + 6, -(c + 11), -(c + 9)};
  Curve Loop(c + 4) = {4, c + 4, -(c + 3), -(c + 6)};
  For k In {0 : 4}
    Plane Surface(c + k) = {(k < 3 ? -s : s)*(c + k)};
  EndFor
  If (alternate)
    Transfinite Surface {c : c + 4} Alternate;
  Else
    Transfinite Surface {c : c + 4};
  EndIf
  If (quads)
    Recombine Surface {c : c + 4};
  EndIf
  inlet[] += {c};
  outlet[] += {c + 4};
  wall[] += {c + 1, c + 2, c + 3};
  cylinder[] += {c + 7, c + 8, c + 9};
  fluid[] += {c : c + 4};
EndFor

Physical Curve("inlet") = inlet[];
Physical Curve("outlet") = outlet[];
Physical Curve("wall") = wall[];
If (sphere)
  Physical Curve("sphere") = cylinder[];
Else
  Physical Curve("cylinder") = cylinder[];
EndIf
If (!full)
  Physical Curve("axis") = {1, 2, 3, 4};
EndIf
Physical Surface("fluid") = fluid[];
