import {
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb'
import type { Document } from 'mongodb'

/** The reason why a deployment skips a case: it differs from MongoDB's manual. */
export interface Departs {
  readonly documentdb: string
}

/** The _id of a document is its index in the list. */
export type MatchCase = readonly [
  what: string,
  documents: Document[],
  filter: Document,
  ids: number[],
  departs?: Departs,
]

function long(text: string): Long {
  return Long.fromString(text)
}

function dec(text: string): Decimal128 {
  return Decimal128.fromString(text)
}

function date(ms: number): Date {
  return new Date(ms)
}

export const MATCHES: readonly MatchCase[] = [
  ['an empty filter matches all', [{ a: 1 }, {}], {}, [0, 1]],
  ['equality of an int', [{ a: 1 }, { a: 2 }], { a: 1 }, [0]],
  [
    'equality over number types',
    [{ a: 1 }, { a: new Double(1) }, { a: Long.ONE }, { a: dec('1.0') }, { a: '1' }],
    { a: 1 },
    [0, 1, 2, 3],
  ],
  [
    'a long beyond 2^53 does not equal a double',
    [{ a: long('9007199254740993') }, { a: new Double(9007199254740992) }],
    { a: long('9007199254740993') },
    [0],
  ],
  [
    'a decimal 0.1 does not equal a double 0.1',
    [{ a: dec('0.1') }, { a: 0.1 }],
    { a: dec('0.1') },
    [0],
  ],
  [
    'order of a long and a double beyond 2^53',
    [{ a: long('9007199254740993') }, { a: long('9007199254740991') }],
    { a: { $gt: new Double(9007199254740992) } },
    [0],
  ],
  [
    'null matches missing',
    [{ a: null }, {}, { a: 0 }, { a: [null] }, { a: [] }],
    { a: null },
    [0, 1, 3],
  ],
  ['$eq null matches missing', [{ a: null }, {}, { a: 0 }], { a: { $eq: null } }, [0, 1]],
  ['$ne null leaves missing out', [{ a: null }, {}, { a: 0 }], { a: { $ne: null } }, [2]],
  ['$gt null matches no value', [{ a: null }, { a: 1 }, {}], { a: { $gt: null } }, []],
  [
    '$gte null matches null and missing',
    [{ a: null }, { a: 1 }, {}],
    { a: { $gte: null } },
    [0, 2],
  ],
  ['$in null matches missing', [{ a: null }, { a: 1 }, {}], { a: { $in: [null] } }, [0, 2]],
  ['$nin null leaves missing out', [{ a: null }, { a: 1 }, {}], { a: { $nin: [null] } }, [1]],
  [
    'a nested null matches where the path ends',
    [{ a: 5 }, { a: { b: null } }, { a: {} }, { a: { b: 1 } }, {}],
    { 'a.b': null },
    [0, 1, 2, 4],
  ],
  [
    'a nested null in an array of documents',
    [{ a: [{ b: 1 }, {}] }, { a: [{ b: 1 }] }, { a: [{ b: null }] }],
    { 'a.b': null },
    [0, 2],
  ],
  ['a nested null skips scalars of an array', [{ a: [1, 2] }], { 'a.b': null }, []],
  ['a nested null skips an empty array', [{ a: [] }], { 'a.b': null }, []],
  [
    '$gt stays within numbers',
    [{ a: 6 }, { a: 'x' }, { a: true }, { a: date(9) }, { a: null }],
    { a: { $gt: 5 } },
    [0],
  ],
  ['$lt stays within strings', [{ a: 'a' }, { a: 1 }, { a: 'z' }], { a: { $lt: 'm' } }, [0]],
  ['$gte on dates', [{ a: date(1) }, { a: date(5) }, { a: 5 }], { a: { $gte: date(5) } }, [1]],
  ['$lt on booleans', [{ a: false }, { a: true }, { a: 0 }], { a: { $lt: true } }, [0]],
  [
    '$gt on ObjectIds',
    [
      { a: new ObjectId('000000000000000000000001') },
      { a: new ObjectId('000000000000000000000003') },
    ],
    { a: { $gt: new ObjectId('000000000000000000000002') } },
    [1],
  ],
  [
    '$gt over number types',
    [{ a: 3 }, { a: new Double(3.5) }, { a: long('4') }, { a: dec('3.00001') }],
    { a: { $gt: 3 } },
    [1, 2, 3],
  ],
  ['NaN is not less than a number', [{ a: NaN }, { a: 1 }], { a: { $lt: 5 } }, [1]],
  ['NaN equals NaN', [{ a: NaN }, { a: 1 }], { a: NaN }, [0]],
  ['$gte NaN matches NaN', [{ a: NaN }, { a: 1 }], { a: { $gte: NaN } }, [0]],
  ['minus zero equals zero', [{ a: new Double(-0) }, { a: 0 }], { a: 0 }, [0, 1]],
  ['infinity', [{ a: Infinity }, { a: 1 }, { a: -Infinity }], { a: { $gt: 1 } }, [0]],
  [
    '$gt MinKey matches all else',
    [{ a: new MinKey() }, { a: 1 }, { a: 'x' }],
    { a: { $gt: new MinKey() } },
    [1, 2],
  ],
  ['equality with MaxKey', [{ a: new MaxKey() }, { a: 1 }], { a: new MaxKey() }, [0]],
  ['an array element equals', [{ a: [1, 2] }, { a: [3] }, { a: 2 }], { a: 2 }, [0, 2]],
  ['a whole array equals', [{ a: [1, 2] }, { a: [2, 1] }, { a: [[1, 2]] }], { a: [1, 2] }, [0, 2]],
  ['an empty array equals', [{ a: [] }, { a: [[]] }, { a: null }], { a: [] }, [0, 1]],
  [
    'a range over array elements',
    [{ a: [1, 10] }, { a: [4] }, { a: [1, 2] }],
    { a: { $gt: 3, $lt: 5 } },
    [0, 1],
  ],
  ['two conditions may meet different elements', [{ a: [1, 10] }], { a: { $gt: 5, $lt: 3 } }, [0]],
  [
    '$elemMatch on values meets one element',
    [{ a: [1, 10] }, { a: [4] }],
    { a: { $elemMatch: { $gt: 3, $lt: 5 } } },
    [1],
  ],
  [
    '$elemMatch on documents',
    [
      {
        a: [
          { b: 1, c: 2 },
          { b: 2, c: 1 },
        ],
      },
      { a: [{ b: 1, c: 1 }] },
    ],
    { a: { $elemMatch: { b: 1, c: 1 } } },
    [1],
  ],
  [
    '$geoWithin: GeoJSON points in a planar polygon and on its edges',
    [
      { a: { type: 'Point', coordinates: [1, 1] } },
      { a: { type: 'Point', coordinates: [0, new Double(0.5)] } },
      { a: { type: 'Point', coordinates: [3, 1] } },
      { a: null },
      {},
      { a: { type: 'Point', coordinates: [2, 2] } },
    ],
    {
      a: {
        $geoWithin: {
          $polygon: [
            [0, 0],
            [2, 0],
            [2, 2],
            [0, 2],
          ],
        },
      },
    },
    [0, 1, 5],
  ],
  [
    '$geoWithin: in the elements of $elemMatch, and $nor',
    [
      { a: [{ p: { type: 'Point', coordinates: [1, 1] }, n: 1 }] },
      { a: [{ p: { type: 'Point', coordinates: [1, 1] }, n: 2 }, { n: 1 }] },
    ],
    {
      $nor: [
        {
          a: {
            $elemMatch: {
              n: 1,
              p: {
                $geoWithin: {
                  $polygon: [
                    [0, 0],
                    [2, 0],
                    [0, 2],
                  ],
                },
              },
            },
          },
        },
      ],
    },
    [1],
  ],
  [
    '$elemMatch on values takes an array within for one value',
    [{ a: [[1]] }, { a: [1] }, { a: [['x'], 2] }],
    { a: { $elemMatch: { $gt: 0 } } },
    [1, 2],
  ],
  [
    '$elemMatch on values: equality, $in, $not and a regex of an array within',
    [{ a: [['x']] }, { a: ['x'] }],
    {
      $nor: [
        { a: { $elemMatch: { $eq: 'x' } } },
        { a: { $elemMatch: { $in: ['x', 'y'] } } },
        { a: { $elemMatch: { $regex: '^x' } } },
        { a: { $elemMatch: { $not: { $ne: 'x' } } } },
      ],
    },
    [0],
  ],
  [
    '$elemMatch within $elemMatch',
    [{ a: [[1]] }, { a: [1] }],
    { a: { $elemMatch: { $elemMatch: { $gt: 0 } } } },
    [0],
  ],
  [
    '$elemMatch needs an array',
    [{ a: { b: 1 } }, { a: [{ b: 1 }] }],
    { a: { $elemMatch: { b: 1 } } },
    [1],
  ],
  [
    '$elemMatch with $or',
    [{ a: [{ b: 1 }, { b: 5 }] }, { a: [{ b: 3 }] }],
    { a: { $elemMatch: { $or: [{ b: 5 }, { b: 6 }] } } },
    [0],
  ],
  [
    '$not $elemMatch',
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, {}],
    { a: { $not: { $elemMatch: { b: 1 } } } },
    [1, 2],
  ],
  [
    'dotted conditions may meet different elements',
    [
      {
        a: [
          { b: 1, c: 2 },
          { b: 2, c: 1 },
        ],
      },
    ],
    { 'a.b': 1, 'a.c': 1 },
    [0],
  ],
  [
    'a path through an array of documents',
    [{ a: [{ b: 1 }, { b: 2 }] }, { a: { b: 2 } }, { a: [{ b: 3 }] }],
    { 'a.b': 2 },
    [0, 1],
  ],
  [
    'a path through nested arrays of documents',
    [{ a: [{ b: [{ c: 1 }] }] }, { a: [[{ b: { c: 1 } }]] }],
    { 'a.b.c': 1 },
    [0],
  ],
  [
    'an array index in a path',
    [{ a: [5, 6] }, { a: [6, 5] }, { a: { 0: 6 } }],
    { 'a.0': 6 },
    [1, 2],
  ],
  [
    'an array index within a path',
    [{ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 2 }] }],
    { 'a.1.b': 2 },
    [0],
  ],
  ['$ne matches missing', [{ a: 1 }, {}, { a: 2 }], { a: { $ne: 1 } }, [1, 2]],
  ['$ne on an array means none', [{ a: [1, 2] }, { a: [2] }], { a: { $ne: 1 } }, [1]],
  ['$nin matches missing', [{ a: 1 }, {}, { a: 2 }], { a: { $nin: [1] } }, [1, 2]],
  ['$nin empty matches all', [{ a: 1 }, {}], { a: { $nin: [] } }, [0, 1]],
  ['$in empty matches none', [{ a: 1 }, {}], { a: { $in: [] } }, []],
  [
    '$in over types',
    [{ a: 1 }, { a: 'x' }, { a: [7, 'x'] }, { a: 2 }],
    { a: { $in: [1, 'x'] } },
    [0, 1, 2],
  ],
  [
    '$in with a regex',
    [{ a: 'apple' }, { a: 'berry' }, { a: 1 }],
    { a: { $in: [/^a/, 1] } },
    [0, 2],
  ],
  [
    '$in with many values',
    [{ a: 3 }, { a: 30 }, { a: long('5') }],
    { a: { $in: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } },
    [0, 2],
  ],
  ['$in with an array operand', [{ a: [1, 2] }, { a: 1 }], { a: { $in: [[1, 2]] } }, [0]],
  ['$exists true', [{ a: null }, {}, { a: [] }], { a: { $exists: true } }, [0, 2]],
  ['$exists false', [{ a: null }, {}], { a: { $exists: false } }, [1]],
  [
    '$exists within an array of documents',
    [{ a: [{ b: 1 }, {}] }, { a: [{}] }, { a: [] }],
    { 'a.b': { $exists: true } },
    [0],
  ],
  [
    '$exists false within arrays',
    [{ a: [{ b: 1 }, {}] }, { a: [{}] }, { a: [] }],
    { 'a.b': { $exists: false } },
    [1, 2],
  ],
  ['$size', [{ a: [1, 2] }, { a: [1] }, { a: 2 }, { a: [[1, 2]] }], { a: { $size: 2 } }, [0]],
  ['$size 0', [{ a: [] }, {}, { a: null }], { a: { $size: 0 } }, [0]],
  ['$all', [{ a: [1, 2, 3] }, { a: [1] }, { a: 1 }], { a: { $all: [1, 2] } }, [0]],
  ['$all with one value matches a scalar', [{ a: 1 }, { a: [2] }], { a: { $all: [1] } }, [0]],
  ['$all empty matches none', [{ a: [] }, { a: 1 }], { a: { $all: [] } }, []],
  [
    '$all with $elemMatch',
    [{ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }] }],
    { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
    [0],
  ],
  ['$type by name', [{ a: 1 }, { a: 'x' }, { a: new Double(1) }], { a: { $type: 'int' } }, [0]],
  [
    '$type number',
    [{ a: 1 }, { a: 'x' }, { a: new Double(1) }, { a: Long.ONE }, { a: dec('1') }],
    { a: { $type: 'number' } },
    [0, 2, 3, 4],
  ],
  [
    '$type by code in a list',
    [{ a: 'x' }, { a: true }, { a: 1 }],
    { a: { $type: [2, 'bool'] } },
    [0, 1],
  ],
  ['$type array', [{ a: [1] }, { a: 1 }], { a: { $type: 'array' } }, [0]],
  [
    '$type looks into arrays',
    [{ a: ['x'] }, { a: 'x' }, { a: [1] }],
    { a: { $type: 'string' } },
    [0, 1],
  ],
  ['$type null is not missing', [{ a: null }, {}], { a: { $type: 'null' } }, [0]],
  ['$mod', [{ a: 4 }, { a: 5 }, { a: 'x' }, { a: long('8') }], { a: { $mod: [4, 0] } }, [0, 3]],
  [
    '$mod of longs beyond 2^53, whole',
    [
      { a: long('9007199254740993') },
      { a: long('9007199254740992') },
      { a: long('-9007199254740993') },
    ],
    { a: { $mod: [long('9007199254740992'), 1] } },
    [0],
  ],
  [
    '$mod of fractions, of other types, and of a negative number',
    [{ a: new Double(5.9) }, { a: NaN }, { a: Infinity }, { a: -4 }, { a: -5 }, { a: dec('9.5') }],
    { a: { $mod: [4, 1] } },
    [0, 5],
  ],
  [
    '$mod with a remainder of nought',
    [{ a: -4 }, { a: 3 }, { a: 0 }],
    { a: { $mod: [4, 0] } },
    [0, 2],
  ],
  ['a regex', [{ a: 'Hello' }, { a: 'hello' }, { a: 1 }], { a: /^hel/ }, [1]],
  [
    'a regex with i',
    [{ a: 'Hello' }, { a: 'yellow' }],
    { a: { $regex: 'HELLO', $options: 'i' } },
    [0],
  ],
  [
    'a regex with i beyond ASCII',
    [{ a: 'ÄRGER' }, { a: 'ärger' }, { a: 'arger' }],
    { a: { $regex: 'ärger', $options: 'i' } },
    [0, 1],
  ],
  [
    'a regex with i in Cyrillic',
    [{ a: 'МОСКВА' }, { a: 'Минск' }],
    { a: { $regex: 'москва', $options: 'i' } },
    [0],
  ],
  [
    'anchors without m mean the whole string',
    [{ a: 'x\nabc' }, { a: 'abc\ny' }, { a: 'abc' }],
    { a: { $regex: '^abc$' } },
    [2],
  ],
  [
    'anchors with m mean lines',
    [{ a: 'x\nabc' }, { a: 'abc\ny' }, { a: 'xabc' }],
    { a: { $regex: '^abc$', $options: 'm' } },
    [0, 1],
  ],
  [
    '$ allows one last line feed',
    [{ a: 'abc\n' }, { a: 'abc\n\n' }],
    { a: { $regex: 'abc$' } },
    [0],
  ],
  ['a dot is not a line feed', [{ a: 'a\nb' }, { a: 'a\rb' }], { a: { $regex: 'a.b' } }, [1]],
  ['a dot with s is a line feed', [{ a: 'a\nb' }], { a: { $regex: 'a.b', $options: 's' } }, [0]],
  [
    'x ignores white space',
    [{ a: 'ab' }, { a: 'a b' }],
    { a: { $regex: 'a b', $options: 'x' } },
    [0],
  ],
  [
    'escaped specials',
    [{ a: 'a.b' }, { a: 'axb' }, { a: 'a-b/c' }],
    { a: { $regex: 'a\\.b' } },
    [0],
  ],
  [
    'escaped ordinary characters',
    [{ a: 'a-b/c' }, { a: 'a_b' }],
    { a: { $regex: 'a\\-b\\/c' } },
    [0],
  ],
  ['a BSONRegExp', [{ a: 'Foo' }], { a: new BSONRegExp('foo', 'i') }, [0]],
  ['a regex over array elements', [{ a: ['x', 'abc'] }, { a: ['x'] }], { a: /b/ }, [0]],
  [
    '$not with a regex',
    [{ a: 'abc' }, { a: 'xyz' }, {}, { a: 1 }],
    { a: { $not: /b/ } },
    [1, 2, 3],
  ],
  ['$not with $regex', [{ a: 'abc' }, { a: 'xyz' }, {}], { a: { $not: { $regex: 'b' } } }, [1, 2]],
  [
    '$not with a comparison matches other types',
    [{ a: 1 }, { a: 9 }, { a: 'x' }, {}],
    { a: { $not: { $gt: 5 } } },
    [0, 2, 3],
  ],
  [
    '$and',
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    { $and: [{ a: 1 }, { b: 2 }] },
    [1],
  ],
  ['$or', [{ a: 1 }, { b: 2 }, { a: 3 }], { $or: [{ a: 1 }, { b: 2 }] }, [0, 1]],
  ['$nor', [{ a: 1 }, { b: 2 }, { a: 3 }], { $nor: [{ a: 1 }, { b: 2 }] }, [2]],
  [
    '$or next to a field',
    [
      { a: 1, c: 1 },
      { b: 2, c: 2 },
    ],
    { c: 2, $or: [{ a: 1 }, { b: 2 }] },
    [1],
  ],
  [
    '$expr compares fields',
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    { $expr: { $gt: ['$a', '$b'] } },
    [1],
  ],
  ['$expr compares across types', [{ a: 'x' }, { a: 1 }], { $expr: { $gt: ['$a', 5] } }, [0]],
  [
    'a subdocument equals in its order only',
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, { a: { b: 1 } }],
    { a: { b: 1, c: 2 } },
    [0],
  ],
  [
    'a subdocument equals over number types',
    [{ a: { b: 1 } }, { a: { b: Long.ONE } }],
    { a: { b: new Double(1) } },
    [0, 1],
  ],
  [
    '$gt on subdocuments',
    [{ a: { b: 1 } }, { a: { b: 3 } }, { a: 9 }],
    { a: { $gt: { b: 2 } } },
    [1],
  ],
  [
    'names of Object are ordinary',
    [{ constructor: 1 }, {}],
    { constructor: { $exists: true } },
    [0],
  ],
  [
    '__proto__ is ordinary',
    [JSON.parse('{"__proto__": 1}') as Document, {}],
    JSON.parse('{"__proto__": 1}') as Document,
    [0],
  ],
  [
    'surrogates are above the rest of the plane',
    [{ a: '\uff5e' }, { a: '\u{1F600}' }],
    { a: { $gt: '\uff5e' } },
    [1],
  ],
  [
    'a timestamp',
    [{ a: new Timestamp({ t: 2, i: 1 }) }, { a: new Timestamp({ t: 1, i: 9 }) }],
    { a: { $gt: new Timestamp({ t: 1, i: 9 }) } },
    [0],
  ],
  ['strings with zero bytes', [{ a: 'a\0b' }, { a: 'a' }], { a: 'a\0b' }, [0]],
  ['an int as Int32', [{ a: new Int32(5) }], { a: { $gte: 5, $lte: 5 } }, [0]],
  ['a condition on _id', [{}, {}, {}], { _id: { $in: [0, 2] } }, [0, 2]],
  ['a range on _id', [{}, {}, {}], { _id: { $gt: 0 } }, [1, 2]],
]

export type SortCase = readonly [
  what: string,
  documents: Document[],
  sort: Record<string, 1 | -1>,
  ids: number[],
  departs?: Departs,
]

export const SORTS: readonly SortCase[] = [
  ['numbers ascending', [{ a: 3 }, { a: 1 }, { a: 2 }], { a: 1 }, [1, 2, 0]],
  [
    'numbers over types',
    [{ a: long('3') }, { a: 1 }, { a: new Double(2.5) }, { a: dec('2.4') }],
    { a: 1 },
    [1, 3, 2, 0],
  ],
  [
    'longs beyond 2^53',
    [
      { a: long('9007199254740993') },
      { a: long('9007199254740992') },
      { a: long('9007199254740994') },
    ],
    { a: 1 },
    [1, 0, 2],
  ],
  [
    'scalars in an array sort as null by a nested path',
    [{ a: [{ b: 2 }, 'x'] }, { a: [{ b: 1 }] }, { a: [[{ b: 0 }], { b: 3 }] }],
    { 'a.b': 1, _id: 1 },
    [0, 2, 1],
  ],
  ['missing sorts as null', [{ a: 1 }, {}, { a: null }], { a: 1, _id: 1 }, [1, 2, 0]],
  [
    'null before numbers before strings',
    [
      { a: 'x' },
      { a: 1 },
      { a: null },
      { a: true },
      { a: date(1) },
      { a: { b: 1 } },
      { a: new ObjectId() },
    ],
    { a: 1 },
    [2, 1, 0, 5, 6, 3, 4],
  ],
  [
    'descending is the reverse',
    [{ a: 'x' }, { a: 1 }, { a: null }, { a: true }],
    { a: -1 },
    [3, 0, 1, 2],
  ],
  [
    'an array ascending counts by its least',
    [{ a: [5, 1] }, { a: 3 }, { a: [0, 9] }],
    { a: 1 },
    [2, 0, 1],
  ],
  [
    'an array descending counts by its greatest',
    [{ a: [5, 1] }, { a: 6 }, { a: [0, 9] }],
    { a: -1 },
    [2, 1, 0],
  ],
  [
    'an empty array is below null',
    [{ a: null }, { a: [] }, { a: 1 }],
    { a: 1 },
    [1, 0, 2],
    { documentdb: 'sorts it as null' },
  ],
  [
    'two fields',
    [
      { a: 1, b: 2 },
      { a: 1, b: 1 },
      { a: 0, b: 9 },
    ],
    { a: 1, b: -1 },
    [2, 0, 1],
  ],
  ['a dotted path', [{ a: { b: 2 } }, { a: { b: 1 } }, { a: 5 }], { 'a.b': 1 }, [2, 1, 0]],
  [
    'a path through an array',
    [{ a: [{ b: 5 }, { b: 2 }] }, { a: [{ b: 3 }] }],
    { 'a.b': 1 },
    [0, 1],
  ],
  [
    'two paths through one array count by its elements',
    [
      {
        a: [
          { b: 1, c: 5 },
          { b: 2, c: 0 },
        ],
      },
      { a: [{ b: 1, c: 3 }] },
    ],
    { 'a.b': 1, 'a.c': 1 },
    [1, 0],
    { documentdb: 'counts each path by itself' },
  ],
  [
    'a document without the field in an array, an empty array above it, and a scalar sort as null',
    [{ a: [{ b: 0 }] }, { a: [{}] }, { a: [] }, { a: 'x' }],
    { 'a.b': 1, _id: 1 },
    [1, 2, 3, 0],
  ],
  [
    'strings by code point',
    [{ a: 'b' }, { a: 'B' }, { a: 'ä' }, { a: 'a' }],
    { a: 1 },
    [1, 3, 0, 2],
  ],
  ['booleans', [{ a: true }, { a: false }], { a: 1 }, [1, 0]],
  ['subdocuments', [{ a: { b: 2 } }, { a: { b: 1, c: 1 } }, { a: { b: 1 } }], { a: 1 }, [2, 1, 0]],
  ['NaN below all numbers', [{ a: -5 }, { a: NaN }, { a: -Infinity }], { a: 1 }, [1, 2, 0]],
]

export type UpdateCase = readonly [
  what: string,
  before: Document,
  update: Document,
  after: Document,
  options?: Document & { filter?: Document },
  departs?: Departs,
]

/** The document's _id is 1. */
export const UPDATES: readonly UpdateCase[] = [
  ['$set', { a: 1 }, { $set: { a: 2 } }, { a: 2 }],
  ['$set adds at the end', { b: 1, a: 1 }, { $set: { c: 1, b: 2 } }, { b: 2, a: 1, c: 1 }],
  [
    '$set adds new fields in the order of their names',
    {},
    { $set: { z: 1, b: 1, c: 1 } },
    { b: 1, c: 1, z: 1 },
    {},
    { documentdb: 'adds in the order given' },
  ],
  ['$set makes documents on the way', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set an element', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
  [
    '$set beyond the end pads with null',
    { a: [1] },
    { $set: { 'a.3': 9 } },
    { a: [1, null, null, 9] },
  ],
  ['$set with a number makes a document', {}, { $set: { 'a.0': 1 } }, { a: { 0: 1 } }],
  ['$set within an element', { a: [{ b: 1 }] }, { $set: { 'a.0.b': 2 } }, { a: [{ b: 2 }] }],
  [
    '$set keeps types',
    {},
    { $set: { a: Long.ONE, b: new Double(1), c: dec('1.0'), d: 1 } },
    { a: Long.ONE, b: new Double(1), c: dec('1.0'), d: 1 },
  ],
  ['$unset', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
  ['$unset a missing field', { b: 2 }, { $unset: { a: '', 'c.d': '' } }, { b: 2 }],
  ['$unset an element makes null', { a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
  ['$inc an int', { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ['$inc a missing field', {}, { $inc: { a: 2 } }, { a: 2 }],
  [
    '$inc an int beyond its range makes a long',
    { a: 2147483647 },
    { $inc: { a: 1 } },
    { a: long('2147483648') },
  ],
  ['$inc a long stays a long', { a: long('5') }, { $inc: { a: 1 } }, { a: long('6') }],
  ['$inc a double stays a double', { a: new Double(1) }, { $inc: { a: 1 } }, { a: new Double(2) }],
  ['$inc an int by a double makes a double', { a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
  ['$inc a decimal', { a: dec('1.5') }, { $inc: { a: 1 } }, { a: dec('2.5') }],
  [
    '$inc a decimal beyond the greatest makes infinity',
    { a: dec('9.999999999999999999999999999999999E+6144') },
    { $inc: { a: dec('1E+6144') } },
    { a: dec('Infinity') },
    {},
    { documentdb: 'has smaller decimals' },
  ],
  [
    '$mul decimals beyond, below and within the range',
    { a: dec('1E+6000'), b: dec('1E-6000'), c: dec('1E+6100'), d: dec('-1E+6000') },
    { $mul: { a: dec('1E+200'), b: dec('1E-200'), c: dec('1E+20'), d: dec('1E+200') } },
    { a: dec('Infinity'), b: dec('0E-6176'), c: dec('1.000000000E+6120'), d: dec('-Infinity') },
    {},
    { documentdb: 'has smaller decimals' },
  ],
  ['$mul', { a: 3 }, { $mul: { a: 2 } }, { a: 6 }],
  ['$mul a missing field makes 0', {}, { $mul: { a: 2 } }, { a: 0 }],
  ['$min', { a: 5 }, { $min: { a: 3 } }, { a: 3 }],
  ['$min keeps a lower value', { a: 1 }, { $min: { a: 3 } }, { a: 1 }],
  ['$max over types', { a: 5 }, { $max: { a: 'x' } }, { a: 'x' }],
  ['$max a missing field', {}, { $max: { a: 1 } }, { a: 1 }],
  ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
  ['$rename into a document', { a: 1 }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
  ['$rename a missing field', { b: 1 }, { $rename: { a: 'c' } }, { b: 1 }],
  ['$push', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  ['$push makes an array', {}, { $push: { a: 2 } }, { a: [2] }],
  ['$push an array is one element', { a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
  ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  [
    '$push $position',
    { a: [1, 4] },
    { $push: { a: { $each: [2, 3], $position: 1 } } },
    { a: [1, 2, 3, 4] },
  ],
  ['$push $slice', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
  [
    '$push $sort by two fields that are arrays, which count as a whole',
    { a: [{ b: [2, 0], c: [1] }] },
    { $push: { a: { $each: [{ b: [1, 9], c: [2] }], $sort: { b: 1, c: 1 } } } },
    {
      a: [
        { b: [1, 9], c: [2] },
        { b: [2, 0], c: [1] },
      ],
    },
  ],
  ['$push $sort', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1 } } }, { a: [1, 2, 3] }],
  [
    '$push $sort by a field',
    { a: [{ b: 3 }, { b: 1 }] },
    { $push: { a: { $each: [{ b: 2 }], $sort: { b: -1 } } } },
    { a: [{ b: 3 }, { b: 2 }, { b: 1 }] },
  ],
  ['$addToSet', { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ['$addToSet knows equal numbers', { a: [1] }, { $addToSet: { a: Long.ONE } }, { a: [1] }],
  ['$addToSet $each', { a: [1] }, { $addToSet: { a: { $each: [1, 2, 2] } } }, { a: [1, 2] }],
  ['$pull a value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
  ['$pull by a condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  [
    '$pull documents by a part',
    { a: [{ b: 1, c: 1 }, { b: 2 }] },
    { $pull: { a: { b: 1 } } },
    { a: [{ b: 2 }] },
  ],
  ['$pull $in', { a: ['x', 'y', 'z'] }, { $pull: { a: { $in: ['x', 'z'] } } }, { a: ['y'] }],
  ['$pullAll', { a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
  ['$pop the last', { a: [1, 2] }, { $pop: { a: 1 } }, { a: [1] }],
  ['$pop the first', { a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
  [
    '$bit of longs, by several masks',
    { a: long('5'), b: 5, c: -1 },
    { $bit: { a: { or: 2 }, b: { xor: long('4294967297') }, c: { and: 6, or: 1 } } },
    { a: long('7'), b: long('4294967300'), c: 7 },
  ],
  ['$bit', { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
  [
    'several operators',
    { a: 1, b: [1] },
    { $inc: { a: 1 }, $push: { b: 2 }, $set: { c: 3 } },
    { a: 2, b: [1, 2], c: 3 },
  ],
  [
    '$ meets the matched element',
    { a: [1, 2, 3] },
    { $set: { 'a.$': 9 } },
    { a: [1, 9, 3] },
    { filter: { a: 2 } },
  ],
  [
    '$ within documents',
    { a: [{ b: 1 }, { b: 2 }] },
    { $set: { 'a.$.c': 9 } },
    { a: [{ b: 1 }, { b: 2, c: 9 }] },
    { filter: { 'a.b': 2 } },
  ],
  [
    '$ with $elemMatch',
    {
      a: [
        { b: 1, c: 1 },
        { b: 1, c: 2 },
      ],
    },
    { $set: { 'a.$.c': 9 } },
    {
      a: [
        { b: 1, c: 1 },
        { b: 1, c: 9 },
      ],
    },
    { filter: { a: { $elemMatch: { b: 1, c: 2 } } } },
  ],
  ['$[] meets all elements', { a: [1, 2] }, { $inc: { 'a.$[]': 1 } }, { a: [2, 3] }],
  [
    '$[name] changes the elements that match its filter',
    { a: [1, 5, 9] },
    { $set: { 'a.$[big]': 0 } },
    { a: [1, 0, 0] },
    { arrayFilters: [{ big: { $gte: 5 } }] },
  ],
  [
    '$[name] within documents',
    { a: [{ b: 1 }, { b: 2 }] },
    { $set: { 'a.$[x].c': 1 } },
    { a: [{ b: 1 }, { b: 2, c: 1 }] },
    { arrayFilters: [{ 'x.b': 2 }] },
  ],
  [
    '$setOnInsert does not change an existing document',
    { a: 1 },
    { $setOnInsert: { a: 2 }, $set: { b: 1 } },
    { a: 1, b: 1 },
    { upsert: true },
  ],
]

export type PipelineCase = readonly [
  what: string,
  documents: Document[],
  pipeline: Document[],
  result: Document[],
  departs?: Departs,
]

export const PIPELINES: readonly PipelineCase[] = [
  [
    '$match and $sort',
    [{ a: 2 }, { a: 1 }, { a: 3 }],
    [{ $match: { a: { $gt: 1 } } }, { $sort: { a: -1 } }],
    [
      { _id: 2, a: 3 },
      { _id: 0, a: 2 },
    ],
  ],
  [
    '$skip and $limit',
    [{}, {}, {}],
    [{ $sort: { _id: 1 } }, { $skip: 1 }, { $limit: 1 }],
    [{ _id: 1 }],
  ],
  [
    '$limit before $sort',
    [{ a: 3 }, { a: 1 }, { a: 2 }],
    [{ $sort: { _id: 1 } }, { $limit: 2 }, { $sort: { a: 1 } }],
    [
      { _id: 1, a: 1 },
      { _id: 0, a: 3 },
    ],
  ],
  [
    '$group sums ints as an int',
    [{ a: 1 }, { a: 2 }],
    [{ $group: { _id: null, n: { $sum: '$a' } } }],
    [{ _id: null, n: 3 }],
  ],
  [
    '$group widens',
    [{ a: 1 }, { a: Long.ONE }, { a: 0.5 }],
    [{ $group: { _id: null, n: { $sum: '$a' } } }],
    [{ _id: null, n: 2.5 }],
  ],
  [
    '$group by a field',
    [
      { a: 'x', b: 1 },
      { a: 'y', b: 2 },
      { a: 'x', b: 3 },
    ],
    [{ $group: { _id: '$a', n: { $sum: '$b' } } }, { $sort: { _id: 1 } }],
    [
      { _id: 'x', n: 4 },
      { _id: 'y', n: 2 },
    ],
  ],
  [
    '$group of missing is null',
    [{}, { a: null }],
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ _id: null, n: 2 }],
  ],
  [
    '$group by equal numbers',
    [{ a: 1 }, { a: Long.ONE }, { a: new Double(1) }],
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ _id: 1, n: 3 }],
  ],
  [
    '$avg is a double',
    [{ a: 1 }, { a: 2 }],
    [{ $group: { _id: null, n: { $avg: '$a' } } }],
    [{ _id: null, n: 1.5 }],
  ],
  [
    '$min, $max',
    [{ a: 3 }, { a: 1 }, {}],
    [{ $group: { _id: null, low: { $min: '$a' }, high: { $max: '$a' } } }],
    [{ _id: null, low: 1, high: 3 }],
  ],
  [
    '$first, $last',
    [{ a: 1 }, { a: 2 }],
    [{ $sort: { _id: 1 } }, { $group: { _id: null, f: { $first: '$a' }, l: { $last: '$a' } } }],
    [{ _id: null, f: 1, l: 2 }],
  ],
  [
    '$push leaves missing out',
    [{ a: 1 }, {}, { a: 3 }],
    [{ $sort: { _id: 1 } }, { $group: { _id: null, all: { $push: '$a' } } }],
    [{ _id: null, all: [1, 3] }],
  ],
  [
    '$addToSet',
    [{ a: 1 }, { a: 1 }],
    [{ $group: { _id: null, all: { $addToSet: '$a' } } }],
    [{ _id: null, all: [1] }],
  ],
  ['$count', [{}, {}], [{ $count: 'n' }], [{ n: 2 }]],
  [
    '$count of no documents',
    [{}],
    [{ $match: { a: 1 } }, { $count: 'n' }],
    [],
    { documentdb: 'counts 0' },
  ],
  [
    '$unwind',
    [{ a: [1, 2] }, { a: [] }, {}, { a: 3 }],
    [{ $unwind: '$a' }],
    [
      { _id: 0, a: 1 },
      { _id: 0, a: 2 },
      { _id: 3, a: 3 },
    ],
  ],
  [
    '$unwind keeps',
    [{ a: [] }, {}, { a: [1] }],
    [{ $unwind: { path: '$a', preserveNullAndEmptyArrays: true } }, { $sort: { _id: 1 } }],
    [{ _id: 0 }, { _id: 1 }, { _id: 2, a: 1 }],
  ],
  [
    '$unwind with an index',
    [{ a: ['x', 'y'] }],
    [{ $unwind: { path: '$a', includeArrayIndex: 'i' } }],
    [
      { _id: 0, a: 'x', i: long('0') },
      { _id: 0, a: 'y', i: long('1') },
    ],
  ],
  ['$project includes', [{ a: 1, b: 2 }], [{ $project: { b: 1 } }], [{ _id: 0, b: 2 }]],
  [
    '$project computes',
    [{ a: 1, b: 2 }],
    [{ $project: { _id: 0, c: { $add: ['$a', '$b'] } } }],
    [{ c: 3 }],
  ],
  [
    '$addFields',
    [{ a: 1 }],
    [{ $addFields: { b: '$a', 'c.d': 5 } }],
    [{ _id: 0, a: 1, b: 1, c: { d: 5 } }],
  ],
  [
    '$addFields of a document adds to subdocuments, also in the elements of an array',
    [{ a: { c: 2 }, b: [{ c: 2 }, 5] }],
    [{ $addFields: { a: { b: 1, d: { e: '$a.c' } }, b: { b: 1 } } }],
    [{ _id: 0, a: { c: 2, b: 1, d: { e: 2 } }, b: [{ c: 2, b: 1 }, { b: 1 }] }],
  ],
  [
    '$toLong is exact',
    [{ a: dec('9007199254740993'), b: '9223372036854775807' }],
    [{ $project: { _id: 0, a: { $toLong: '$a' }, b: { $toLong: '$b' } } }],
    [{ a: long('9007199254740993'), b: long('9223372036854775807') }],
  ],
  [
    '$toDate takes a time without a zone for UTC',
    [{ a: '2020-01-01T00:00:00', b: '2020-01-01', c: '2020-01-01T00:00:00.5Z' }],
    [{ $project: { _id: 0, a: { $toDate: '$a' }, b: { $toDate: '$b' }, c: { $toDate: '$c' } } }],
    [{ a: date(1577836800000), b: date(1577836800000), c: date(1577836800500) }],
  ],
  ['$set of a missing field adds none', [{ a: 1 }], [{ $set: { b: '$x' } }], [{ _id: 0, a: 1 }]],
  ['$unset', [{ a: 1, b: { c: 1, d: 2 } }], [{ $unset: ['a', 'b.c'] }], [{ _id: 0, b: { d: 2 } }]],
  ['$replaceRoot', [{ a: { b: 1 } }], [{ $replaceRoot: { newRoot: '$a' } }], [{ b: 1 }]],
  [
    '$replaceWith',
    [{ a: { b: 1 } }],
    [{ $replaceWith: { $mergeObjects: ['$a', { c: 2 }] } }],
    [{ b: 1, c: 2 }],
  ],
  [
    '$sortByCount',
    [{ a: 'x' }, { a: 'y' }, { a: 'x' }],
    [{ $sortByCount: '$a' }],
    [
      { _id: 'x', count: 2 },
      { _id: 'y', count: 1 },
    ],
  ],
  [
    '$facet',
    [{ a: 1 }, { a: 2 }],
    [{ $facet: { n: [{ $count: 'n' }], top: [{ $sort: { a: -1 } }, { $limit: 1 }] } }],
    [{ n: [{ n: 2 }], top: [{ _id: 1, a: 2 }] }],
  ],
  [
    '$lookup by fields',
    [{ a: 1 }, { b: 1, c: 'x' }],
    [
      { $match: { a: 1 } },
      { $lookup: { from: '$self', localField: 'a', foreignField: 'b', as: 'found' } },
    ],
    [{ _id: 0, a: 1, found: [{ _id: 1, b: 1, c: 'x' }] }],
  ],
  [
    '$lookup by an array',
    [{ a: [1, 2] }, { b: 1 }, { b: 2 }, { b: 3 }],
    [
      { $match: { _id: 0 } },
      { $lookup: { from: '$self', localField: 'a', foreignField: 'b', as: 'f' } },
      { $project: { 'f.b': 1 } },
    ],
    [{ _id: 0, f: [{ b: 1 }, { b: 2 }] }],
  ],
  [
    '$lookup of missing joins null and missing',
    [{ k: 1 }, { k: 2, b: null }, { k: 2 }, { k: 2, b: 1 }],
    [
      { $match: { k: 1 } },
      { $lookup: { from: '$self', localField: 'a', foreignField: 'b', as: 'f' } },
      { $project: { f: { $size: '$f' } } },
    ],
    [{ _id: 0, f: 3 }],
  ],
  [
    '$lookup with a pipeline and let',
    [{ a: 1 }, { b: 1, c: 5 }, { b: 1, c: 6 }],
    [
      { $match: { a: 1 } },
      {
        $lookup: {
          from: '$self',
          let: { x: '$a' },
          pipeline: [
            { $match: { $expr: { $eq: ['$b', '$$x'] } } },
            { $sort: { c: -1 } },
            { $limit: 1 },
            { $project: { _id: 0, c: 1 } },
          ],
          as: 'f',
        },
      },
    ],
    [{ _id: 0, a: 1, f: [{ c: 6 }] }],
  ],
  [
    '$lookup by fields with a pipeline',
    [{ a: 1 }, { b: 1, c: 5 }, { b: 1, c: 6 }],
    [
      { $match: { a: 1 } },
      {
        $lookup: {
          from: '$self',
          localField: 'a',
          foreignField: 'b',
          pipeline: [{ $match: { c: 6 } }],
          as: 'f',
        },
      },
    ],
    [{ _id: 0, a: 1, f: [{ _id: 2, b: 1, c: 6 }] }],
  ],
  [
    '$lookup of an empty array joins null and missing, like a missing value',
    [
      { k: 1, a: [] },
      { k: 1, a: [{}] },
      { k: 2, b: null },
      { k: 2, b: 1 },
      { k: 2, b: [] },
    ],
    [
      { $match: { k: 1 } },
      { $lookup: { from: '$self', localField: 'a', foreignField: 'b', as: 'e' } },
      { $lookup: { from: '$self', localField: 'a.c', foreignField: 'b', as: 'm' } },
      { $project: { e: '$e._id', m: '$m._id' } },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: 0, e: [0, 1, 2], m: [0, 1, 2] },
      { _id: 1, e: [], m: [0, 1, 2] },
    ],
    { documentdb: 'joins no documents' },
  ],
  [
    '$lookup by a regular expression finds that value, and no text',
    [{ k: 1, a: new BSONRegExp('^x') }, { b: 'xy' }, { b: new BSONRegExp('^x') }],
    [
      { $match: { k: 1 } },
      { $lookup: { from: '$self', localField: 'a', foreignField: 'b', as: 'f' } },
      { $project: { f: '$f._id' } },
    ],
    [{ _id: 0, f: [2] }],
    { documentdb: 'finds the text' },
  ],
  [
    '$let of CURRENT moves where paths begin, and not $$ROOT',
    [{ a: { b: 1 }, b: 2 }],
    [
      {
        $project: {
          _id: 0,
          c: {
            $let: {
              vars: { CURRENT: '$a', x: '$b' },
              in: ['$b', '$$CURRENT.b', '$$ROOT.b', '$$x'],
            },
          },
          d: '$b',
        },
      },
    ],
    [{ c: [1, 1, 2, 2], d: 2 }],
    { documentdb: 'reads the document' },
  ],
  [
    '$unionWith',
    [{ a: 1 }],
    [{ $unionWith: { coll: '$self', pipeline: [{ $project: { a: { $add: ['$a', 1] } } }] } }],
    [
      { _id: 0, a: 1 },
      { _id: 0, a: 2 },
    ],
  ],
  [
    '$cond, $ifNull, $switch',
    [{ a: 1 }],
    [
      {
        $project: {
          _id: 0,
          c: { $cond: [{ $gt: ['$a', 0] }, 'yes', 'no'] },
          n: { $ifNull: ['$x', 'none'] },
          s: {
            // oxlint-disable-next-line unicorn/no-thenable -- the operator's own word
            $switch: { branches: [{ case: { $eq: ['$a', 1] }, then: 'one' }], default: 'other' },
          },
        },
      },
    ],
    [{ c: 'yes', n: 'none', s: 'one' }],
  ],
  [
    '$map, $filter, $reduce',
    [{ a: [1, 2, 3] }],
    [
      {
        $project: {
          _id: 0,
          m: { $map: { input: '$a', as: 'x', in: { $multiply: ['$$x', 2] } } },
          f: { $filter: { input: '$a', as: 'x', cond: { $gt: ['$$x', 1] } } },
          r: { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } },
        },
      },
    ],
    [{ m: [2, 4, 6], f: [2, 3], r: 6 }],
  ],
  [
    '$zip up to the shortest or the longest list',
    [{ a: [1, 2, 3], b: ['x', 'y'] }],
    [
      {
        $project: {
          _id: 0,
          s: { $zip: { inputs: ['$a', '$b'] } },
          l: { $zip: { inputs: ['$a', '$b'], useLongestLength: true } },
          d: { $zip: { inputs: ['$a', '$b'], useLongestLength: true, defaults: [0, '-'] } },
          n: { $zip: { inputs: ['$a', '$missing'] } },
        },
      },
    ],
    [
      {
        s: [
          [1, 'x'],
          [2, 'y'],
        ],
        l: [
          [1, 'x'],
          [2, 'y'],
          [3, null],
        ],
        d: [
          [1, 'x'],
          [2, 'y'],
          [3, '-'],
        ],
        n: null,
      },
    ],
  ],
  [
    '$size, $arrayElemAt, $in, $slice',
    [{ a: [1, 2, 3] }],
    [
      {
        $project: {
          _id: 0,
          s: { $size: '$a' },
          e: { $arrayElemAt: ['$a', -1] },
          i: { $in: [2, '$a'] },
          l: { $slice: ['$a', 2] },
        },
      },
    ],
    [{ s: 3, e: 3, i: true, l: [1, 2] }],
  ],
  [
    '$concat, $toUpper, $substrCP',
    [{ a: 'äb' }],
    [
      {
        $project: {
          _id: 0,
          c: { $concat: ['$a', '!'] },
          u: { $toUpper: 'abc' },
          s: { $substrCP: ['$a', 0, 1] },
        },
      },
    ],
    [{ c: 'äb!', u: 'ABC', s: 'ä' }],
  ],
  [
    '$concat with null is null',
    [{ a: null }],
    [{ $project: { _id: 0, c: { $concat: ['x', '$a'] } } }],
    [{ c: null }],
  ],
  [
    '$divide makes a double',
    [{ a: 4 }],
    [{ $project: { _id: 0, c: { $divide: ['$a', 2] } } }],
    [{ c: new Double(2) }],
  ],
  [
    'a path through an array gives an array',
    [{ a: [{ b: 1 }, { c: 1 }, { b: 2 }] }],
    [{ $project: { _id: 0, b: '$a.b' } }],
    [{ b: [1, 2] }],
  ],
  ['$$ROOT', [{ a: 1 }], [{ $project: { _id: 0, r: '$$ROOT' } }], [{ r: { _id: 0, a: 1 } }]],
  [
    '$type and conversions',
    [{ a: 1 }],
    [
      {
        $project: {
          _id: 0,
          t: { $type: '$a' },
          m: { $type: '$x' },
          s: { $toString: '$a' },
          l: { $toLong: '$a' },
        },
      },
    ],
    [{ t: 'int', m: 'missing', s: '1', l: Long.ONE }],
  ],
  [
    '$setUnion and $indexOfArray',
    [{ a: [1, 2] }],
    [{ $project: { _id: 0, u: { $setUnion: ['$a', [2, 3]] }, i: { $indexOfArray: ['$a', 2] } } }],
    [{ u: [1, 2, 3], i: 1 }],
    { documentdb: 'has another order, which the manual leaves open' },
  ],
]

export type ProjectionCase = readonly [
  what: string,
  document: Document,
  projection: Document,
  result: Document,
  departs?: Departs,
]

/** The document's _id is 1. */
export const PROJECTIONS: readonly ProjectionCase[] = [
  ['inclusion keeps _id', { a: 1, b: 2 }, { a: 1 }, { _id: 1, a: 1 }],
  ['inclusion without _id', { a: 1, b: 2 }, { a: 1, _id: 0 }, { a: 1 }],
  ['exclusion', { a: 1, b: 2 }, { a: 0 }, { _id: 1, b: 2 }],
  ['only _id out', { a: 1, b: 2 }, { _id: 0 }, { a: 1, b: 2 }],
  ['only _id', { a: 1 }, { _id: 1 }, { _id: 1 }],
  ["order is the document's", { a: 1, b: 2 }, { b: 1, a: 1 }, { _id: 1, a: 1, b: 2 }],
  ['a dotted inclusion', { a: { b: 1, c: 2 }, d: 1 }, { 'a.b': 1 }, { _id: 1, a: { b: 1 } }],
  ['a nested inclusion', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { _id: 1, a: { b: 1 } }],
  ['a dotted exclusion', { a: { b: 1, c: 2 } }, { 'a.b': 0 }, { _id: 1, a: { c: 2 } }],
  [
    'inclusion through arrays',
    { a: [{ b: 1, c: 1 }, 5, { c: 2 }] },
    { 'a.b': 1 },
    { _id: 1, a: [{ b: 1 }, {}] },
  ],
  [
    'exclusion through arrays',
    { a: [{ b: 1, c: 1 }, 5] },
    { 'a.b': 0 },
    { _id: 1, a: [{ c: 1 }, 5] },
  ],
  ['inclusion of a path that ends early', { a: 5 }, { 'a.b': 1 }, { _id: 1 }],
  ['$slice', { a: [1, 2, 3], b: 1 }, { a: { $slice: 2 } }, { _id: 1, a: [1, 2], b: 1 }],
  ['$slice from the end', { a: [1, 2, 3] }, { a: { $slice: [-2, 1] } }, { _id: 1, a: [2] }],
  [
    '$elemMatch',
    { a: [{ b: 1 }, { b: 2 }], c: 1 },
    { a: { $elemMatch: { b: 2 } } },
    { _id: 1, a: [{ b: 2 }] },
  ],
  [
    '$elemMatch comes last',
    { a: [{ b: 1 }], c: 1, d: 1 },
    { a: { $elemMatch: { b: 1 } }, d: 1, c: 1 },
    { _id: 1, c: 1, d: 1, a: [{ b: 1 }] },
  ],
  ['an expression', { a: 1 }, { b: { $add: ['$a', 1] } }, { _id: 1, b: 2 }],
]
