// SPDX-License-Identifier: BSD-3-Clause
// Pictures as files: SVG as it is drawn; PNG by rsvg-convert, which is asked only then.
#pragma once

#include <filesystem>
#include <string>

namespace colltree {

// Before anything is computed: throws UsageError when the name ends neither in .svg nor in .png,
// Error when nothing can be written there.
void check_picture_name(const std::filesystem::path& path);

// By the ending of the name. `scale`: pixels of a PNG for each of the SVG. Throws Error.
void write_picture(const std::filesystem::path& path, const std::string& svg, double scale);

}  // namespace colltree
