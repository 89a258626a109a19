// Double abdominal aortic aneurysm of Ayyad (2020), eq. 17 with its misprints corrected; lengths in D.
// Nodes x_i = 11.25 i/nx, y = y_w(x_i) (2 j/ny - 1), ny even; triangles are symmetric about y = 0.
// gmsh -2 -setnumber nx 200 -setnumber ny 40 -setnumber quads 1 aaa.geo -o aaa_200x40.msh
DefineConstant[ nx = 200, ny = 40, quads = 1 ];
L1 = 2.5; L2 = 5; LT = 11.25; D1 = 2; D2 = 2.75;

Macro HalfWidth
  yw = 0.5;
  If (x <= L1)
    yw = (D1 - 1)/4 * (1 + Sin(2*Pi*x/L1 - Pi/2)) + 0.5;
  ElseIf (x <= L1 + L2)
    yw = (D2 - 1)/4 * (1 + Sin(2*Pi*(x - L1)/L2 - Pi/2)) + 0.5;
  EndIf
Return

// Every node is a point: gmsh places nodes inside a curve to 2e-12 only.
half = ny/2;
rows = ny + 1;
For i In {0 : nx}
  x = LT*i/nx;
  Call HalfWidth;
  For j In {0 : ny}
    Point(rows*i + j + 1) = {x, yw*(2*j/ny - 1), 0};
  EndFor
  For j In {0 : ny - 1}
    Line(rows*i + j + 1) = {rows*i + j + 1, rows*i + j + 2};
    Transfinite Curve {rows*i + j + 1} = 2;
  EndFor
EndFor

first = rows*(nx + 1) + 1;
For i In {0 : nx - 1}
  For k In {0 : 2} // along the bottom, the middle, the top
    Line(first + 3*i + k) = {rows*i + k*half + 1, rows*(i + 1) + k*half + 1};
    Transfinite Curve {first + 3*i + k} = 2;
  EndFor
  For k In {0 : 1} // lower and upper half of column i
    a = rows*i + k*half + 1;
    b = a + rows;
    Curve Loop(2*i + k + 1) = {first + 3*i + k, b : b + half - 1, -(first + 3*i + k + 1), -(a + half - 1) : -a};
    Plane Surface(2*i + k + 1) = {2*i + k + 1};
    If (k == 0)
      Transfinite Surface {2*i + k + 1} = {a, b, b + half, a + half} Left;
    Else
      Transfinite Surface {2*i + k + 1} = {a, b, b + half, a + half} Right;
    EndIf
  EndFor
  bottom[] += first + 3*i;
  top[] += first + 3*i + 2;
EndFor
If (quads)
  Recombine Surface {1 : 2*nx};
EndIf

Physical Curve("inlet") = {1 : ny};
Physical Curve("outlet") = {rows*nx + 1 : rows*nx + ny};
Physical Curve("wall_bottom") = bottom[];
Physical Curve("wall_top") = top[];
Physical Surface("fluid") = {1 : 2*nx};
