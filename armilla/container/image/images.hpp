// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/image/keep.hpp"
#include "armilla/container/image/memory_image.hpp"
#include "armilla/container/image/save.hpp"
#include "armilla/fence.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// What follows from a container's image, once for all containers.
namespace armilla::detail {

/// What a checkpoint of an image says beside its records: the ranks whose records were gone before.
using image_shape = kept_shape<image_numbers, rank_t>;

/// A fence of those that are left. Functions that had met a lost rank are no news to them.
void fence_after_loss(const team& t);
/// Ranks that had records and are lost, by this loss or an earlier one.
std::vector<rank_t> gone_parts(const team& old, const found_checkpoint& found);
/// What this member of `t` reads of a checkpoint of `old`: each part is read by one member.
std::vector<packed_records> packed_in(const found_checkpoint& found, const team& old, const team& t);

/// A container with an image declares this struct a friend, and has
///
///     static saved_type image_type();              // which containers and records can be read
///     image_numbers numbers_of_image() const;      // what belongs to the whole
///     void put_image(piece_writer& to) const;      // puts the records of this rank
///     void take_image(image_reader& from);         // collective: the records of the image replace its own; all or nothing
///     C(team) or C(team, options_of(team, numbers))     // an empty one
///     keeping<C> kept_;
///
/// and, if others may change it meanwhile, `hold_image()`, which returns what keeps them off.
struct images {
  template <class C>
  static void save(const C& x, const std::string& path) {
    const object_operation name("save", known(x));
    x.members().fence();
    [[maybe_unused]] const auto held = hold(x);
    const saved_type type = C::image_type();
    saved_grid grid;
    if (has_numbers(type.kind)) grid.extents = x.numbers_of_image();
    save_walked(x.members(), path, type, grid, [&x](piece_writer& to) { x.put_image(to); });
  }
  template <class C>
  static void load(C& x, const team& members, const std::string& path) {
    const object_operation name("load", known(x));
    members.fence();
    saved_file file(members, path, C::image_type());
    x.take_image(file);
  }

  template <class C>
  static void keep(C& x, int copies) {
    x.kept_.copies = std::make_unique<kept_parts>(x.members(), copies);
  }
  template <class C>
  static void checkpoint(C& x, std::uint64_t mark) {
    const object_operation name("checkpoint", known(x));
    kept_parts& copies = require_kept(x.kept_.copies, x.members(), name.text());
    x.members().fence();
    write(copies, x, mark, {});
    meet(x.members());
    copies.commit();
  }
  /// `Result`: C, or a class derived from it.
  template <class Result, class C>
  static recovered<Result, rank_t> recover(C& x, const team& t) {
    const object_operation name("recover", known(x));
    require_kept(x.kept_.copies, x.members(), name.text());
    require_recoverable(t, x.members());
    catch_up(t, x.kept_, [&x](C later) {
      const std::uint64_t times = x.kept_.times;
      x = std::move(later);
      x.kept_.times = times;
    });
    auto back = recover_together(t, x.kept_.unfinished, [&] { return recovered_on<Result>(x, t); });
    static_cast<C&>(back.container).kept_.copies->commit();
    return back;
  }

  /// What errors find the container by.
  template <class C>
  static const void* known(const C& x) noexcept {
    if constexpr (requires { x.held_.get(); })
      return x.held_.get();
    else if constexpr (requires { x.parts_.known(); })
      return x.parts_.known();
    else
      return &x;
  }

  /// `made` takes the place of `old`, and is called as that was.
  template <class C>
  static void call_alike(const C& made, const C& old) noexcept {
    call_as(&made, &old);
    call_as(known(made), known(old));
  }
  template <class C>
  static void call_alike(const C& made, const made_at& at) {
    call_as(&made, at, typeid(C));
    call_as(known(made), at, typeid(C));
  }

  /// What members of a team learn of a container that comes to them.
  struct description {
    image_numbers numbers{};
    std::int32_t copies = 0;  ///< that are kept
  };
  template <class C>
  static description describe(const C& x) {
    return {x.numbers_of_image(), x.kept_.copies == nullptr ? 0 : std::int32_t(x.kept_.copies->wish())};
  }
  /// Collective: a container without elements.
  template <class C>
  static C empty(const team& t, const image_numbers& numbers) {
    if constexpr (requires { C(t, C::options_of(t, numbers)); })
      return C(t, C::options_of(t, numbers));
    else
      return C(t);
  }
  template <class C>
  static void pack(const C& x, packed_part& to) {
    [[maybe_unused]] const auto held = hold(x);
    x.put_image(to);
    to.finish();
  }
  /// Collective of `t`: a container of what its members have packed.
  template <class C>
  static C unpack(const team& t, const char* operation, const description& how, std::span<const packed_records> mine,
                  failure why) {
    memory_image image(t, operation, C::image_type().element_bytes != 0, how.numbers, mine, std::move(why));
    C made = empty<C>(t, how.numbers);
    made.take_image(image);
    if (how.copies != 0) keep(made, how.copies);
    return made;
  }
  /// Collective of `t`: one of what members had, who give it in `old`. `first` is one of them.
  template <class C>
  static C moved(const team& t, const C* old, rank_t first) {
    description how;
    packed_part packed;
    std::vector<packed_records> mine;
    failure why;
    if (old != nullptr) try {
        how = describe(*old);
        pack(*old, packed);
        mine.push_back(packed.records_of(old->members().rank()));
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
    return unpack<C>(t, "rebalance", t.broadcast(how, first), mine, std::move(why));
  }

 private:
  struct nothing {};
  template <class C>
  static auto hold(const C& x) {
    if constexpr (requires { x.hold_image(); })
      return x.hold_image();
    else
      return nothing();
  }
  /// All of a checkpoint but its end.
  template <class C>
  static void write(kept_parts& copies, const C& x, std::uint64_t mark, std::vector<rank_t> gone) {
    [[maybe_unused]] const auto held = hold(x);
    write_packed(copies, mark, std::make_shared<const image_shape>(x.numbers_of_image(), std::move(gone)),
                 [&x](piece_writer& to) { x.put_image(to); });
  }
  /// All of a recovery but its last meeting.
  template <class Result, class C>
  static recovered<Result, rank_t> recovered_on(C& x, const team& t) {
    fence_after_loss(t);
    const found_checkpoint found = x.kept_.copies->newest(t);
    const image_numbers& numbers = static_cast<const image_shape*>(found.shape.get())->places;
    std::vector<packed_records> mine;
    failure why;
    try {
      mine = packed_in(found, x.members(), t);
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    memory_image image(t, "recover", C::image_type().element_bytes != 0, numbers, mine, std::move(why));
    recovered<Result, rank_t> back{empty<Result>(t, numbers), found.mark, gone_parts(x.members(), found)};
    C& made = back.container;
    made.take_image(image);
    made.kept_.copies = std::make_unique<kept_parts>(t, x.kept_.copies->wish());
    made.kept_.times = x.kept_.times + 1;
    call_alike(made, x);
    write(*made.kept_.copies, std::as_const(made), found.mark, back.gone);
    return back;
  }
};

}  // namespace armilla::detail
