import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRecord } from '../../../src/base/is-record.ts'
import { entryLinksIn } from '../../../src/schema/values/entry-links.ts'
import { findBlockFaults } from '../../../src/schema/values/blocks.ts'

const ID = 'a1b2c3d4e5f6g7h8i9j0k1l2'
const TEXT = { type: 'text', text: 'x' }
const LINK = {
  type: 'link',
  url: '',
  entry: { type: 'api::a.a', documentId: ID },
  children: [TEXT],
}
const cell = (...children: readonly object[]): object => ({ type: 'table-cell', children })
const header = (...children: readonly object[]): object => ({ type: 'table-header-cell', children })
const row = (...children: readonly object[]): object => ({ type: 'table-row', children })
const table = (...children: readonly object[]): object => ({ type: 'table', children })
const FINE = table(row(header(TEXT), header(TEXT)), row(cell(LINK, TEXT), cell(TEXT)))

const faultsOf = (...nodes: readonly unknown[]): readonly (readonly [string, string])[] =>
  findBlockFaults(nodes, ['body'], true).map(({ path, message }) => [path.join('.'), message])

describe('tables in blocks', () => {
  it('are accepted with the option only', () => {
    expect(faultsOf(FINE)).to.deep.equal([])
    const [refused, ...others] = findBlockFaults([{ ...TEXT, type: 'table' }, FINE], ['body'])
    expect(refused?.path).to.deep.equal(['body', '0'])
    expect(refused?.message).to.equal(
      'body[0] is a table, which needs "options": { "blocks": "extended" }',
    )
    expect(others.map(({ path }) => path)).to.deep.equal([['body', '1']])
  })

  const wrong: readonly (readonly [object, string, string])[] = [
    [{ type: 'table' }, 'children', 'body[0].children is a required field'],
    [{ type: 'table', children: 'x' }, 'children', 'body[0].children must be a list'],
    [table(), 'children', 'body[0].children must have at least 1 items'],
    [
      table(row()),
      'children.0.children',
      'body[0].children[0].children must have at least 1 items',
    ],
    [
      table(row(cell())),
      'children.0.children.0.children',
      'Cell node children must have at least one Text or Link node',
    ],
    [table(cell(TEXT)), 'children.0', 'Table node is of invalid type'],
    [table(row(table(row(cell(TEXT))))), 'children.0.children.0', 'Table node is of invalid type'],
    [table(row(cell(FINE))), 'children.0.children.0.children.0', 'Inline node is of invalid type'],
    [
      { type: 'list', format: 'ordered', children: [FINE] },
      'children.0',
      'List node is of invalid type',
    ],
    [row(cell(TEXT)), '', 'Block node is of invalid type'],
    [{ ...FINE, width: 5 }, 'width', 'body[0].width is not allowed'],
    [
      table({ ...row(cell(TEXT)), id: 1 }),
      'children.0.id',
      'body[0].children[0].id is not allowed',
    ],
    [
      table(row({ ...cell(TEXT), colspan: 2 })),
      'children.0.children.0.colspan',
      'body[0].children[0].children[0].colspan is not allowed',
    ],
    [
      table(row(cell(TEXT), cell(TEXT)), row(cell(TEXT))),
      'children.1.children',
      'body[0].children[1].children must have 2 cells, as the first row of the table',
    ],
    [
      table(row(...Array.from({ length: 51 }, () => cell(TEXT)))),
      'children.0.children',
      'body[0].children[0].children must have at most 50 items',
    ],
    [
      table(...Array.from({ length: 501 }, () => row(cell(TEXT)))),
      'children',
      'body[0].children must have at most 500 items',
    ],
  ]
  for (const [node, path, message] of wrong) {
    it(`refuse ${path === '' ? 'the node' : path}: ${message}`, () => {
      expect(faultsOf(node)).to.deep.equal([[path === '' ? 'body.0' : `body.0.${path}`, message]])
    })
  }

  it('accept the largest table', () => {
    const cells = Array.from({ length: 50 }, () => cell(TEXT))
    expect(faultsOf(table(...Array.from({ length: 500 }, () => row(...cells))))).to.deep.equal([])
  })

  it('report a bounded number of faults', () => {
    const bad = row(...Array.from({ length: 50 }, () => ({})))
    expect(faultsOf(table(...Array.from({ length: 500 }, () => bad)))).to.have.length.below(200)
  })

  it('have links to entries in their cells', () => {
    expect(entryLinksIn([FINE], ['body']).map(({ path }) => path.join('.'))).to.deep.equal([
      'body.0.children.1.children.0.children.0.entry',
    ])
  })

  it('are accepted if and only if they have the form, for random trees', () => {
    const seen = { fine: 0, uneven: 0, wrong: 0 }
    fc.assert(
      fc.property(trees, (tree) => {
        const isFine = hasForm(tree)
        const isEven = hasForm(tree, false)
        seen[isFine ? 'fine' : isEven ? 'uneven' : 'wrong'] += 1
        const faults = faultsOf(tree)
        expect(faults.length === 0, JSON.stringify({ tree, faults })).to.equal(isFine)
        for (const [path] of faults) expect(holderAt(tree, path), path).to.not.equal(undefined)
        expect(findBlockFaults([tree], ['body'])).to.not.deep.equal([])
      }),
      { numRuns: 2_000 },
    )
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).to.be.above(100)
  })
})

const strange = fc.constantFrom<unknown>(
  null,
  5,
  'x',
  [],
  {},
  row(cell(TEXT)),
  FINE,
  { type: 'paragraph', children: [TEXT] },
  { type: 'constructor' },
)

/** A node that is mostly valid. */
function node(types: readonly string[], child: fc.Arbitrary<unknown>, minLength = 1) {
  const type = fc.constantFrom(...types)
  const children = fc.array(child, { minLength, maxLength: 3 })
  return fc.oneof(
    { weight: 40, arbitrary: fc.record({ type, children }) },
    { weight: 1, arbitrary: fc.record({ type, children, span: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type, children: strange }) },
    { weight: 1, arbitrary: fc.record({ type }) },
    { weight: 1, arbitrary: strange },
  )
}

const cells = node(
  ['table-cell', 'table-header-cell'],
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom<unknown>(TEXT, LINK) },
    { weight: 1, arbitrary: strange },
  ),
)
const trees = fc
  .integer({ min: 1, max: 3 })
  .chain((width) =>
    fc
      .oneof(
        { weight: 5, arbitrary: fc.array(cells, { minLength: width, maxLength: width }) },
        { weight: 1, arbitrary: fc.array(cells, { maxLength: 4 }) },
      )
      .chain((children) => node(['table'], rowsOf(width, children))),
  )
  .filter((tree) => isRecord(tree) && tree['type'] === 'table')

function rowsOf(width: number, first: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({ type: 'table-row', children: first }) },
    {
      weight: 6,
      arbitrary: fc
        .array(cells, { minLength: width, maxLength: width })
        .map((children) => ({ type: 'table-row', children })),
    },
    { weight: 1, arbitrary: node(['table-row'], cells) },
  )
}

/** The form by its definition. */
function hasForm(tree: unknown, isEven = true): boolean {
  const rows = partsOf(tree, ['table'])
  const all = rows?.map((one) => partsOf(one, ['table-row'])) ?? [null]
  const widths = new Set(all.map((one) => one?.length))
  return (
    all.every((one) =>
      one?.every((part) => partsOf(part, ['table-cell', 'table-header-cell'])?.every(isInline)),
    ) &&
    (!isEven || widths.size === 1)
  )
}

function isInline(part: unknown): boolean {
  return part === TEXT || part === LINK
}

function partsOf(tree: unknown, types: readonly string[]): readonly unknown[] | null {
  if (!isRecord(tree) || !types.includes(String(tree['type']))) return null
  const isClosed = Object.keys(tree).sort().join() === 'children,type'
  const { children } = tree
  return isClosed && Array.isArray(children) && children.length > 0 ? children : null
}

/** The node, or the holder of the missing member, at the path of a fault. */
function holderAt(tree: unknown, path: string): unknown {
  const [, , ...names] = path.split('.')
  let holder: unknown = tree
  for (const name of names.slice(0, -1)) {
    holder = (holder as Readonly<Record<string, unknown>> | undefined)?.[name]
  }
  return holder
}
