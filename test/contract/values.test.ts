import { type Library, loadLibrary, openLibrary } from './library.ts'
import { kept, refused, unreadable } from './sample-rows.ts'
import { type Row, testTable } from './table.ts'

const DATE = 'Invalid format, expected yyyy-MM-dd'
const MOMENT = 'Invalid format, expected a timestamp or an ISO date'
const HOUR = 'Invalid time format, expected HH:mm:ss.SSS'
const KIND = 'kind must be one of the following values: one, two, three, '
const noNumber = (name: string, value: unknown): Row =>
  refused(
    name,
    value,
    `${name} must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${JSON.stringify(value)}\`).`,
  )
const noText = (name: string, value: unknown): Row =>
  refused(
    name,
    value,
    `${name} must be a \`string\` type, but the final value was: \`${JSON.stringify(value)}\`.`,
  )

/**
 * Texts. Rule: a string or null, within its lengths (UTF-16) and pattern. '' is a string of length
 * 0.
 */
const TEXTS: readonly Row[] = [
  ...['short', 'long', 'rich', 'mail', 'pass', 'code', 'handle', 'hidden'].flatMap((name) => [
    noText(name, 5),
    noText(name, true),
  ]),
  ...['short', 'long', 'rich'].flatMap((name): Row[] => [
    refused(name, 'ab', `${name} must be at least 3 characters`),
    refused(name, '', `${name} must be at least 3 characters`),
    kept(name, 'abc'),
    kept(name, null),
  ]),
  refused('short', 'abcdefghijk', 'short must be at most 10 characters'),
  kept('short', '🙂🙂🙂🙂🙂'),
  refused('short', '🙂🙂🙂🙂🙂🙂', 'short must be at most 10 characters'),
  refused('long', 'a'.repeat(21), 'long must be at most 20 characters'),
  refused('deflt', 'a'.repeat(256), 'deflt must be at most 255 characters'),
  kept('deflt', 'a'.repeat(255)),
  kept('short', '  a  '),
  kept('label', ''),
  kept('label', '   '),
  kept('code', ''),
  kept('code', null),
  refused('code', 'ABCD', 'code must match the following: "/^[A-Z]{3}$/"'),
  refused('mail', '', 'mail cannot be empty'),
  refused('mail', 'a@b@c.de', 'mail must be a valid email'),
  refused('mail', `${'a'.repeat(20)}@bb.cc`, 'mail must be at most 20 characters'),
  kept('mail', 'AA@Bb.cc'),
  refused('pass', '', 'pass must be at least 6 characters'),
  refused('pass', 'a'.repeat(13), 'pass must be at most 12 characters'),
  kept('handle', ''),
  kept('handle', 'A-b_c.d~1'),
  refused('handle', 'a b', 'handle must match the following: "/^[A-Za-z0-9-_.~]*$/"'),
  refused('handle', 'a/b', 'handle must match the following: "/^[A-Za-z0-9-_.~]*$/"'),
  refused('handle', 'A-b_c.d~1', 'This attribute must be unique'),
  kept('handle', ''),
  refused('kind', '', KIND),
  refused('kind', 'ONE', KIND),
  refused('kind', 5, KIND),
  refused('kind', ['one'], KIND),
  kept('kind', null),
]

/**
 * Numbers. Rule: a number or a numeric string. Other values that JavaScript could convert are
 * refused.
 */
const NUMBERS: readonly Row[] = [
  ...['count', 'ratio', 'amount'].flatMap((name) =>
    ['abc', '', '  ', true, false, {}, 'NaN'].map((value) => noNumber(name, value)),
  ),
  ...[
    ['7', 7],
    [' 3 ', 3],
    ['+3', 3],
    ['0x5', 5],
    ['1e0', 1],
    [5, 5],
    [null, null],
  ].map(([given, answer]) => kept('count', given, answer)),
  refused('count', '1.5', 'count must be an integer'),
  refused('count', 0, 'count must be greater than or equal to 1'),
  refused('count', '11', 'count must be less than or equal to 10'),
  ...['abc', '', '1e1', 7.5, true, [7], {}].map((value) =>
    refused('big', value, 'big must be a valid integer'),
  ),
  kept('big', 7, '7'),
  kept('big', '9007199254740993'),
  kept('big', null),
  kept('ratio', '1.25', 1.25),
  kept('ratio', 1.23456789),
  refused('ratio', 0.4, 'ratio must be greater than or equal to 0.5'),
  refused('ratio', '2.6', 'ratio must be less than or equal to 2.5'),
  kept('amount', '-1.5', -1.5),
  kept('amount', '1e-2', 0.01),
  refused('amount', -2, 'amount must be greater than or equal to -1.5'),
  refused('amount', 1.6, 'amount must be less than or equal to 1.5'),
]

/**
 * Dates and times. Rule: the documented formats only. Omitted parts are zero, and zones are
 * converted to UTC.
 */
const TIMES: readonly Row[] = [
  ...['tomorrow', '', '2024/02/29', '2024-2-9', 5, true, {}, []].map((value) =>
    unreadable('day', value, DATE),
  ),
  unreadable('day', '2023-02-29', 'Invalid date'),
  kept('day', '2024-02-29'),
  kept('day', '2024-02-29T23:59:59+05:00', '2024-02-29'),
  kept('day', null),
  ...['tomorrow', '', 'Thu, 29 Feb 2024 10:00:00 GMT', true, {}, '2023-02-29T10:00:00Z'].flatMap(
    (value) => [
      unreadable('moment', value, MOMENT),
      ...(value === '2023-02-29T10:00:00Z' ? [] : [unreadable('stamp', value, MOMENT)]),
    ],
  ),
  kept('moment', '2024-02-29', '2024-02-29T00:00:00.000Z'),
  kept('moment', '2024-02-29T10:00:00+02:00', '2024-02-29T08:00:00.000Z'),
  kept('moment', '2024-02-29T10:00:00', '2024-02-29T10:00:00.000Z'),
  kept('moment', '2024-02-29T10:00:00.123456Z', '2024-02-29T10:00:00.123Z'),
  kept('moment', 1_700_000_000_000, '2023-11-14T22:13:20.000Z'),
  kept('stamp', 1_700_000_000_000, '1700000000000'),
  kept('stamp', '1700000000000'),
  kept('stamp', '2023-11-14T22:13:20.000Z', '1700000000000'),
  kept('stamp', 0, '0'),
  ...['10:20', '25:00', '24:00:00', '10:60:00', '10:20:30.1234', 'noon', ''].map((value) =>
    unreadable('hour', value, HOUR),
  ),
  unreadable('hour', 10, 'Expected a string, got a number'),
  kept('hour', '00:00:00'),
  kept('hour', '23:59:59.999'),
  kept('hour', null),
]

/** Booleans by their words; JSON as sent (difference 11); blocks by the form of each node. */
const OTHERS: readonly Row[] = [
  ...(
    [
      [true, true],
      [false, false],
      [1, true],
      [0, false],
      ['true', true],
      ['false', false],
      [null, null],
    ] as const
  ).map(([given, answer]) => kept('flag', given, answer)),
  ...['t', 'yes', '', 2].map((value) =>
    refused(
      'flag',
      value,
      `flag must be a \`boolean\` type, but the final value was: \`${JSON.stringify(value)}\`.`,
    ),
  ),
  ...[{ a: [1, { b: null }] }, [1, 2], 5, 1.5, false, 'plain', '', '{"a":1}', null].map((value) =>
    kept('data', value),
  ),
  kept('blocks', []),
  kept('blocks', null),
  kept('blocks', [
    {
      type: 'list',
      format: 'ordered',
      children: [{ type: 'list-item', children: [{ type: 'text', text: 'i' }] }],
    },
  ]),
  kept('blocks', [{ type: 'quote', children: [{ type: 'text', text: 'q', bold: true }] }]),
  ...['text', 5].map((value) =>
    refused(
      'blocks',
      value,
      `blocks must be a \`array\` type, but the final value was: \`${JSON.stringify(value)}\`.`,
    ),
  ),
  refused('blocks', [{ type: 'nope', children: [] }], 'Block node is of invalid type', 'blocks.0'),
  refused('blocks', [null], 'Block node is of invalid type', 'blocks.0'),
  refused(
    'blocks',
    [{ type: 'quote' }],
    'blocks[0].children is a required field',
    'blocks.0.children',
  ),
  refused(
    'blocks',
    [{ type: 'heading', children: [{ type: 'text', text: 'h' }] }],
    'blocks[0].level is a required field',
    'blocks.0.level',
  ),
  refused(
    'blocks',
    [{ type: 'list', children: [] }],
    'blocks[0].format is a required field',
    'blocks.0.format',
  ),
  refused(
    'blocks',
    [{ type: 'paragraph', children: [] }],
    'Paragraph node children must have at least one Text or Link node',
    'blocks.0.children',
  ),
  refused(
    'blocks',
    [{ type: 'paragraph', children: [{ type: 'text' }] }],
    'Text must be defined with at least an empty string',
    'blocks.0.children.0.text',
  ),
]

describe('the contract of values', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_values')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('texts', () => testTable(() => library, TEXTS))
  describe('numbers', () => testTable(() => library, NUMBERS))
  describe('dates and times', () => testTable(() => library, TIMES))
  describe('booleans, JSON and blocks', () => testTable(() => library, OTHERS))
})
