"""Distances between rows and weighted sums of rows, in explicit vectors.

The inner loops of all kernels of neighbours. LLVM vectorises them badly by itself: the rows are short, and the
neighbours of a sample lie anywhere. Rows are filled with zeros up to a multiple of ``LANES`` numbers. Four rows at a
time share what is loaded of the sample, and several sums hide the latency of an addition.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
GROUP = 4  # rows at a time
BLOCK = 4  # vectors of a row at a time
MASKED = 64  # values that are compared at a time
FLOAT, INDEX, LANE = ir.FloatType(), ir.IntType(64), ir.IntType(32)
VECTOR, NUMBERS = ir.VectorType(FLOAT, LANES), ir.VectorType(LANE, LANES)
ZEROS = ir.Constant(VECTOR, [0.0] * LANES)
FAST = ("fast",)


class Code:
    """Writes the instructions of one function."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def array(self, kind: Any, value: Any) -> Any:
        return self.context.make_array(kind)(self.context, self.builder, value)

    def row(self, array: Any, number: Any) -> Any:
        """Address of a row of a two-dimensional array; numbers of 32 bits are not negative."""
        b = self.builder
        number = b.zext(number, INDEX) if number.type.width < INDEX.width else number
        start = b.mul(number, b.extract_value(array.strides, 0))
        return b.inttoptr(b.add(b.ptrtoint(array.data, INDEX), start), array.data.type)

    def listed_row(self, array: Any, numbers: Any, place: Any) -> Any:
        """Address of the row whose number is at a place of a list."""
        return self.row(array, self.builder.load(self.builder.gep(numbers, [place])))

    def place(self, start: Any, k: Any, kind: Any = VECTOR) -> Any:
        return self.builder.bitcast(self.builder.gep(start, [k]), kind.as_pointer())

    def load(self, start: Any, k: Any, kind: Any = VECTOR) -> Any:
        return self.builder.load(self.place(start, k, kind), align=4)

    def store(self, vector: Any, start: Any, k: Any) -> None:
        self.builder.store(vector, self.place(start, k, vector.type), align=4)

    def after(self, k: Any, n: int) -> Any:
        return self.builder.add(k, ir.Constant(INDEX, n))

    def steps(self, start: Any, stop: Any, size: int) -> Any:
        """A loop: ``with steps(...) as k``."""
        return cgutils.for_range_slice(self.builder, start, stop, ir.Constant(INDEX, size), INDEX)

    def in_steps_of(self, n: Any, size: int, body: Callable[[Any, int], None]) -> None:
        """body(k, size) as often as there is so much of n left, then body(k, 1)."""
        most = self.builder.and_(n, ir.Constant(INDEX, -size))
        for start, stop, some in ((ir.Constant(INDEX, 0), most, size), (most, n, 1)):
            with self.steps(start, stop, some) as (k, _):
                body(k, some)

    def sums(self, n: int, zeros: Any = ZEROS) -> list[Any]:
        """Room for n vectors of zeros."""
        rooms = [cgutils.alloca_once(self.builder, zeros.type) for _ in range(n)]
        for room in rooms:
            self.builder.store(zeros, room)
        return rooms

    def add_product(self, room: Any, x: Any, y: Any) -> None:
        b = self.builder
        b.store(b.fadd(b.load(room), b.fmul(x, y, flags=FAST), flags=FAST), room)

    def repeated(self, number: Any, size: int = LANES) -> Any:
        undefined = ir.Constant(ir.VectorType(number.type, size), ir.Undefined)
        one = self.builder.insert_element(undefined, number, ir.Constant(LANE, 0))
        return self.shuffled(one, undefined, [0] * size)

    def are_within(self, start: Any, k: Any, bound: Any, size: int) -> Any:
        """A number with a bit for each of so many values from place k on: whether it is at most a bound."""
        values = self.load(start, k, ir.VectorType(FLOAT, size))
        is_within = self.builder.fcmp_ordered("<=", values, self.repeated(bound, size))
        return self.builder.bitcast(is_within, ir.IntType(size))

    def shuffled(self, v: Any, w: Any, places: Sequence[int]) -> Any:
        return self.builder.shuffle_vector(v, w, ir.Constant(ir.VectorType(LANE, len(places)), places))

    def totals(self, rooms: Sequence[Any]) -> Any:
        """The sums of n vectors in one vector (n,): pairs of vectors are folded into one until one is left."""
        vectors = [self.builder.load(room) for room in rooms]
        while len(vectors) > 1:
            vectors = [self.folded(v, w) for v, w in zip(vectors[::2], vectors[1::2], strict=True)]
        while vectors[0].type.count > len(rooms):
            vectors = [self.folded(vectors[0], vectors[0], half=True)]
        return vectors[0]

    def folded(self, v: Any, w: Any, half: bool = False) -> Any:
        """Sums of neighbouring numbers, first those of v and then those of w; ``half``: of v alone."""
        n = v.type.count * (1 if half else 2)
        even, odd = list(range(0, n, 2)), list(range(1, n, 2))
        return self.builder.fadd(self.shuffled(v, w, even), self.shuffled(v, w, odd), flags=FAST)


@intrinsic
def squared_distances(typing_context, Z, i, Q, lists, row, out):
    """Write |z_i - q_j|^2 to ``out`` (L,) for every j in a row of lists (n, L), 32-bit and not negative.

    It takes all lists: a slice of an array costs as much as ten distances.
    """

    def generate(context, builder, signature, args):
        code = Code(context, builder)
        Z, Q, lists, out = (code.array(signature.args[k], args[k]) for k in (0, 2, 3, 5))
        own, width, rows = code.row(Z, args[1]), builder.extract_value(Z.shape, 1), code.row(lists, args[4])

        def group(l, size):
            others = [code.listed_row(Q, rows, code.after(l, u)) for u in range(size)]
            sums = code.sums(size)
            with code.steps(ir.Constant(INDEX, 0), width, LANES) as (k, _):
                mine = code.load(own, k)
                for other, total in zip(others, sums, strict=True):
                    apart = builder.fsub(mine, code.load(other, k), flags=FAST)
                    code.add_product(total, apart, apart)
            code.store(code.totals(sums), out.data, l)

        code.in_steps_of(builder.extract_value(out.shape, 0), GROUP, group)
        return context.get_dummy_value()

    return types.none(Z, i, Q, lists, row, out), generate


@intrinsic
def weighted_sum(typing_context, W, i, D, out):
    """Write to ``out`` (L,) the sum of all rows of D (d, L), weighted by the first d numbers of row i of W.

    Numbers after the last whole vector are taken one by one.
    """

    def generate(context, builder, signature, args):
        code = Code(context, builder)
        W, D, out = (code.array(signature.args[k], args[k]) for k in (0, 2, 3))
        weights, (height, width) = code.row(W, args[1]), (builder.extract_value(D.shape, k) for k in (0, 1))

        def block(first, size, kind, repeated):
            sums = code.sums(size, ir.Constant(kind, None))
            with code.steps(ir.Constant(INDEX, 0), height, 1) as (k, _):
                row, weight = code.row(D, k), repeated(builder.load(builder.gep(weights, [k])))
                for b, total in enumerate(sums):
                    code.add_product(total, weight, code.load(row, code.after(first, LANES * b), kind))
            for b, total in enumerate(sums):
                code.store(builder.load(total), out.data, code.after(first, LANES * b))

        def vectors(first, size):
            block(builder.mul(first, ir.Constant(INDEX, LANES)), size, VECTOR, code.repeated)

        n = builder.udiv(width, ir.Constant(INDEX, LANES))
        code.in_steps_of(n, 2 * BLOCK, vectors)
        with code.steps(builder.mul(n, ir.Constant(INDEX, LANES)), width, 1) as (k, _):
            block(k, 1, FLOAT, lambda weight: weight)
        return context.get_dummy_value()

    return types.none(W, i, D, out), generate


@intrinsic
def sum_of_rows(typing_context, c, lists, i, n, X, Y):
    """Write the sum of c_l x_j over the first n rows j of list i, 32-bit and not negative, to row i of Y."""

    def generate(context, builder, signature, args):
        code = Code(context, builder)
        c, lists, X, Y = (code.array(signature.args[k], args[k]) for k in (0, 1, 4, 5))
        rows, n = code.row(lists, args[2]), args[3]
        own, width = code.row(Y, args[2]), builder.extract_value(Y.shape, 1)

        def block(first, size):
            k = builder.mul(first, ir.Constant(INDEX, LANES))
            sums = [code.sums(size) for _ in range(2)]

            def add(l, some):
                for u in range(some):
                    other = code.listed_row(X, rows, code.after(l, u))
                    factor = code.repeated(builder.load(builder.gep(c.data, [code.after(l, u)])))
                    for b in range(size):
                        code.add_product(sums[u][b], factor, code.load(other, code.after(k, LANES * b)))

            code.in_steps_of(n, 2, add)
            for b in range(size):
                total = builder.fadd(*(builder.load(some[b]) for some in sums), flags=FAST)
                code.store(total, own, code.after(k, LANES * b))

        code.in_steps_of(builder.udiv(width, ir.Constant(INDEX, LANES)), BLOCK, block)
        return context.get_dummy_value()

    return types.none(c, lists, i, n, X, Y), generate


@intrinsic
def count_within(typing_context, h, n, bound):
    """How many of the first n values are at most ``bound``."""

    def generate(context, builder, signature, args):
        code, total = Code(context, builder), cgutils.alloca_once_value(builder, ir.Constant(INDEX, 0))
        start, begin = code.array(signature.args[0], args[0]).data, ir.Constant(INDEX, 0)
        for size in (MASKED, LANES, 1):
            end = builder.and_(args[1], ir.Constant(INDEX, -size))
            with code.steps(begin, end, size) as (k, _):
                n = builder.ctpop(code.are_within(start, k, args[2], size))
                builder.store(builder.add(builder.load(total), builder.zext(n, INDEX)), total)
            begin = end
        return builder.trunc(builder.load(total), LANE)

    return types.int32(h, n, bound), generate


@intrinsic
def append_within(typing_context, h, n, bound, near, rows, after):
    """Append those of the first n values that are at most a bound to near, and their places to rows; the length then.

    n is a multiple of ``MASKED``. The places are read off a number with a bit for each of so many values.
    """

    def generate(context, builder, signature, args):
        code = Code(context, builder)
        h, near, rows = (code.array(signature.args[k], args[k]) for k in (0, 3, 4))
        end, mask = (cgutils.alloca_once(builder, kind) for kind in (INDEX, ir.IntType(MASKED)))
        builder.store(args[5], end)
        with code.steps(ir.Constant(INDEX, 0), args[1], MASKED) as (k, _):
            builder.store(code.are_within(h.data, k, args[2], MASKED), mask)
            n = builder.zext(builder.ctpop(builder.load(mask)), INDEX)
            with code.steps(ir.Constant(INDEX, 0), n, 1):
                left, at = builder.load(mask), builder.load(end)
                j = builder.zext(builder.cttz(left, ir.Constant(ir.IntType(1), 1)), INDEX)
                place = builder.add(k, j)
                builder.store(builder.load(builder.gep(h.data, [place])), builder.gep(near.data, [at]))
                builder.store(builder.trunc(place, LANE), builder.gep(rows.data, [at]))
                builder.store(builder.and_(left, builder.sub(left, ir.Constant(left.type, 1))), mask)
                builder.store(code.after(at, 1), end)
        return builder.load(end)

    return types.int64(h, n, bound, near, rows, after), generate


def sum_of(builder: Any, numbers: Sequence[Any]) -> Any:
    """The sum of whole numbers, or of vectors of them."""
    while len(numbers) > 1:
        numbers = [builder.add(a, b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
    return numbers[0]


def counted_before(is_before: Callable) -> Callable:
    """What writes to ranks (n,) how many of the first n values, with their rows, come before each.

    Whole vectors are read and written: the arrays end at least ``LANES`` numbers after n.
    """

    def generate(context, builder, signature, args):
        code = Code(context, builder)
        near, rows, ranks = (code.array(signature.args[k], args[k]) for k in (0, 1, 3))
        n = args[2]

        def block(first, size):
            starts = [code.after(builder.mul(first, ir.Constant(INDEX, LANES)), LANES * b) for b in range(size)]
            own = [(code.load(near.data, k), code.load(rows.data, k, NUMBERS)) for k in starts]
            sums = code.sums(size, ir.Constant(NUMBERS, [0] * LANES))
            with code.steps(ir.Constant(INDEX, 0), n, 1) as (j, _):
                one = [code.repeated(builder.load(builder.gep(array.data, [j]))) for array in (near, rows)]
                for other, total in zip(own, sums, strict=True):
                    before = builder.sext(is_before(builder, *one, *other), NUMBERS)  # true is -1
                    builder.store(builder.sub(builder.load(total), before), total)
            for k, total in zip(starts, sums, strict=True):
                code.store(builder.load(total), ranks.data, k)

        vectors = builder.udiv(code.after(n, LANES - 1), ir.Constant(INDEX, LANES))
        code.in_steps_of(vectors, BLOCK, block)
        return context.get_dummy_value()

    return generate


@intrinsic
def count_smaller(typing_context, near, rows, n, ranks):
    """Write to ranks how many of the first n values are smaller than each."""

    def is_before(builder, value, row, values, numbers):
        return builder.fcmp_ordered("<", value, values)

    return types.none(near, rows, n, ranks), counted_before(is_before)


@intrinsic
def count_before(typing_context, near, rows, n, ranks):
    """Write to ranks how many of the first n values come before each, smaller ones or equal ones of an earlier row."""

    def is_before(builder, value, row, values, numbers):
        is_equal = builder.fcmp_ordered("==", value, values)
        is_first = builder.and_(is_equal, builder.icmp_signed("<", row, numbers))
        return builder.or_(builder.fcmp_ordered("<", value, values), is_first)

    return types.none(near, rows, n, ranks), counted_before(is_before)
