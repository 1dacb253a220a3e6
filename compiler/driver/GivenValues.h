// What --point, --dim, --arg and --grid say, read in the same way and with the same errors by every tool.
#pragma once
#include "compiler/host/ArgSpec.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Point.h"
#include "runtime/contract/Contract.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace phobos::driver {

/// `NAME=VALUE NAME=VALUE ..` of a repeated option; one name in two places is an error. `option` is
/// `--point`,
/// `--pin`, ... in messages.
bool readPoint(const std::vector<std::string> &texts, std::string_view option, Point &point,
               Diagnostics &diags);

/// The same of --dim: extents from 0.
bool readExtents(const std::vector<std::string> &texts, Point &extents, Diagnostics &diags);
/// Whether all names are runtime dimensions of the kernel.
bool checkExtents(const Point &extents, const Contract &contract, Diagnostics &diags);

/// `X`, `X,Y` or `X,Y,Z`; an empty text leaves `grid` alone.
bool readGrid(const std::string &text, std::optional<std::array<int64_t, 3>> &grid, Diagnostics &diags);

/// What --arg gives; an entry a parameter in each list.
struct GivenArguments {
  std::vector<std::optional<ArgSpec>> specs;
  std::vector<std::optional<HostArray>> arrays; ///< of tensors that files give, in the parameter's own type
};

/// Reads the files too: types and ranks fit the parameters afterwards, extents are not looked at.
bool readArguments(const std::vector<std::string> &texts, const Contract &contract, GivenArguments &given,
                   Diagnostics &diags);

/// Whether the values of a rule are values of the parameter's type, in a tensor of `count` elements.
bool checkRule(const Contract &contract, const ContractParam &param, const ArgSpec &spec, int64_t count,
               Diagnostics &diags);
/// A scalar's value: floats in `f`, integers and bool in `i`.
bool readScalar(const Contract &contract, const ContractParam &param, const ArgSpec &spec, uint64_t seed,
                double &f, int64_t &i, Diagnostics &diags);

/// `tensor<f32>[M, 64]`, or `f32`.
std::string typeText(const Contract &contract, const ContractParam &param);

} // namespace phobos::driver
