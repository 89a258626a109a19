// Double abdominal aortic aneurysm of aaa.geo turned about its axis: a tube of diameter 1 along x, 0 <= x <= 11.25; unstructured tets of s local diameters.
// gmsh -3 aaa_3d.geo -o aaa_3d.msh
// The half plane that is turned, labels inlet, outlet, wall and axis: gmsh -2 -setnumber plane 1 aaa_3d.geo -o aaa_plane.msh
SetFactory("OpenCASCADE");
DefineConstant[ s = 0.16, plane = 0 ];
L1 = 2.5; L2 = 5; LT = 11.25; D1 = 2; D2 = 2.75;
n = 40;

Point(1) = {0, 0, 0};
Point(2) = {LT, 0, 0};
Point(3) = {LT, 0.5, 0};
For i In {0 : n} // from the second bulge's end to its beginning, which is the end of the first
  x = L2*(1 - i/n);
  Point(10 + i) = {L1 + x, 0.5 + (D2 - 1)/4*(1 - Cos(2*Pi*x/L2)), 0};
EndFor
For i In {1 : n}
  x = L1*(1 - i/n);
  Point(10 + n + i) = {x, 0.5 + (D1 - 1)/4*(1 - Cos(2*Pi*x/L1)), 0};
EndFor
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 10};
Spline(4) = {10 : 10 + n};
Spline(5) = {10 + n : 10 + 2*n};
Line(6) = {10 + 2*n, 1};
Curve Loop(1) = {1 : 6};
Plane Surface(1) = {1};

// Step(b - x) and the two bulges as MathEval has them: cosines that are cut by the sign of a root
Field[1] = MathEval;
Field[1].F = Sprintf("%g*(1 + 0.25*(1 - Cos(%g*x))*(1 + (%g - x)/(abs(%g - x) + 1e-9)) + 0.21875*(1 - Cos(%g*(x - %g)))*(1 + (x - %g)/(abs(x - %g) + 1e-9))*(1 + (%g - x)/(abs(%g - x) + 1e-9)))",
                     s, 2*Pi/L1, L1, L1, 2*Pi/L2, L1, L1, L1, L1 + L2, L1 + L2);
Background Field = 1;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromCurvature = 0;

If (plane)
  Physical Curve("axis") = {1};
  Physical Curve("outlet") = {2};
  Physical Curve("wall") = {3, 4, 5};
  Physical Curve("inlet") = {6};
  Physical Surface("fluid") = {1};
Else
  Extrude {{1, 0, 0}, {0, 0, 0}, 2*Pi} { Surface{1}; }
  e = 1e-3;
  in[] = Surface In BoundingBox {-e, -1, -1, e, 1, 1};
  end[] = Surface In BoundingBox {LT - e, -1, -1, LT + e, 1, 1};
  all[] = Boundary{ Volume{:}; };
  all[] = Abs(all[]);
  all[] -= {in[], end[]};
  Physical Surface("inlet") = in[];
  Physical Surface("outlet") = end[];
  Physical Surface("wall") = all[];
  Physical Volume("fluid") = Volume{:};
EndIf
