// THRONG_API marks what libthrong.so shows to the outside; everything else is hidden. Exceptions
// that cross the border need it too, or a caller could not catch them by their type.
#pragma once

#define THRONG_API __attribute__((visibility("default")))
