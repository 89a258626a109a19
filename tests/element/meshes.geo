// The small meshes of this folder: gmsh meshes.geo -setnumber kind K, where K is 0: triangles, 1 quadrilaterals, 2 both
// (2D: -2), 3 tetrahedra, 4 hexahedra (-3), 5 triangles periodic in x.
DefineConstant[ kind = 0 ];
n = 3;
Point(1) = {0, 0, 0, 0.35};
line[] = Extrude {1, 0, 0} { Point{1}; Layers{n}; };
If (kind == 0 || kind == 5)
  Point(3) = {1, 1, 0, 0.35}; Point(4) = {0, 1, 0, 0.35};
  Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
  Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
  Physical Curve("bottom") = {1}; Physical Curve("top") = {3};
  If (kind == 5)
    Periodic Curve {2} = {-4};
  Else
    Physical Curve("right") = {2}; Physical Curve("left") = {4};
  EndIf
  Physical Surface("fluid") = {1};
EndIf
If (kind == 1)
  s[] = Extrude {0, 1, 0} { Curve{1}; Layers{n}; Recombine; };
  Physical Curve("bottom") = {1}; Physical Curve("top") = {s[0]}; Physical Curve("sides") = {s[2], s[3]};
  Physical Surface("fluid") = {s[1]};
EndIf
If (kind == 2)
  s[] = Extrude {0, 0.5, 0} { Curve{1}; Layers{2}; Recombine; };
  t[] = Extrude {0, 0.5, 0} { Curve{s[0]}; Layers{2}; };
  Physical Curve("bottom") = {1}; Physical Curve("top") = {t[0]}; Physical Curve("sides") = {s[2], s[3], t[2], t[3]};
  Physical Curve("interface") = {s[0]};
  Physical Surface("fluid") = {s[1], t[1]};
EndIf
If (kind == 3)
  s[] = Extrude {0, 1, 0} { Curve{1}; Layers{n}; };
  v[] = Extrude {0, 0, 1} { Surface{s[1]}; Layers{2}; };
EndIf
If (kind == 4)
  s[] = Extrude {0, 1, 0} { Curve{1}; Layers{n}; Recombine; };
  v[] = Extrude {0, 0, 1} { Surface{s[1]}; Layers{2}; Recombine; };
EndIf
If (kind >= 3 && kind <= 4)
  Physical Surface("back") = {s[1]}; Physical Surface("front") = {v[0]};
  Physical Surface("sides") = {v[2], v[3], v[4], v[5]};
  Physical Volume("fluid") = {v[1]};
EndIf
