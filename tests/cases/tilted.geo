// A box of 2 x 1 x 1 turned about (1, 2, 2)/3 by `angle` degrees, the same tetrahedra whatever it is.
DefineConstant[ angle = 0, n = 2 ];
c = Cos(angle * Pi / 180);
s = Sin(angle * Pi / 180);
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {2, 0, 0};
Rotate { {1/3, 2/3, 2/3}, {0, 0, 0}, angle * Pi / 180 } { Point{1, 2, 3}; }
Line(1) = {1, 2};
Line(2) = {2, 3};
Transfinite Curve{1, 2} = n + 1;
// the second and the third axis, turned: Rodrigues' formula
f() = Extrude { -s * 2/3 + (1 - c) * 2/9, c + (1 - c) * 4/9, s / 3 + (1 - c) * 4/9 } { Curve{1, 2}; Layers{n}; };
v() = Extrude { s * 2/3 + (1 - c) * 2/9, -s / 3 + (1 - c) * 4/9, c + (1 - c) * 4/9 } { Surface{f(1), f(5)}; Layers{n}; };
Physical Surface("outlet") = {f(1)};
Physical Surface("plane") = {f(5)};
Physical Surface("top") = {v(0), v(6)};
Physical Surface("front") = {v(2), v(8)};
Physical Surface("back") = {v(4), v(10)};
Physical Surface("left") = {v(5)};
Physical Surface("right") = {v(9)};
Physical Volume("grains") = {v(1), v(7)};
