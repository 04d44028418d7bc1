import { MAX_TABLE_COLUMNS, MAX_TABLE_ROWS } from '@quire/schema/table-limits'
import { type Fault, fault, MAX_FAULTS } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../definition.ts'
import { labelOf } from './value-messages.ts'

type Path = readonly (string | number)[]

type NodeCheck = (node: Data, path: Path) => readonly Fault[]

const MEMBERS: ReadonlySet<string> = new Set(['type', 'children'])
const ROWS: ReadonlySet<unknown> = new Set(['table-row'])
const CELLS: ReadonlySet<unknown> = new Set(['table-cell', 'table-header-cell'])

/** Rows have the same number of cells, so that renderers need no spans. */
export function findTableFaults(table: Data, path: Path, checkTexts: NodeCheck): readonly Fault[] {
  const cells: NodeCheck = (cell, at) => [...findUnknownMembers(cell, at), ...checkTexts(cell, at)]
  const rows: NodeCheck = (row, at) => checkParts(row, at, MAX_TABLE_COLUMNS, CELLS, cells)
  const faults = checkParts(table, path, MAX_TABLE_ROWS, ROWS, rows)
  return faults.length > 0 ? faults : findUnevenRow(table, path)
}

/** A fault that names the option, for types without it. */
export function refuseTable(node: Data, path: Path): readonly Fault[] {
  const message = `${labelOf(path)} is a table, which needs "options": { "blocks": "extended" }`
  return [fault(path, message, node['type'], { code: 'blocks.table' })]
}

function checkParts(
  node: Data,
  path: Path,
  limit: number,
  types: ReadonlySet<unknown>,
  check: NodeCheck,
): readonly Fault[] {
  const at = [...path, 'children']
  const { children } = node
  if (!Array.isArray(children)) return [notList(children, at)]
  const parts: readonly unknown[] = children
  if (parts.length === 0) return [sizeFault(at, 'array.min', 'least', 1)]
  if (parts.length > limit) return [sizeFault(at, 'array.max', 'most', limit)]
  const faults: Fault[] = [...findUnknownMembers(node, path)]
  for (const [index, part] of parts.entries()) {
    if (isRecord(part) && types.has(part['type'])) faults.push(...check(part, [...at, index]))
    else faults.push(unknownPart(part, [...at, index]))
    if (faults.length > MAX_FAULTS) break
  }
  return faults
}

function notList(children: unknown, path: Path): Fault {
  const isMissing = children === undefined || children === null
  const problem = isMissing ? 'is a required field' : 'must be a list'
  const code = isMissing ? 'any.required' : 'array.base'
  return fault(path, `${labelOf(path)} ${problem}`, children, { code })
}

function sizeFault(
  path: Path,
  code: 'array.min' | 'array.max',
  bound: string,
  limit: number,
): Fault {
  const message = `${labelOf(path)} must have at ${bound} ${limit} items`
  return fault(path, message, undefined, { code, params: { limit } })
}

function unknownPart(part: unknown, path: Path): Fault {
  return fault(path, 'Table node is of invalid type', part, { code: 'blocks.type' })
}

function findUnknownMembers(node: Data, path: Path): readonly Fault[] {
  const unknown = Object.keys(node).find((name) => !MEMBERS.has(name))
  if (unknown === undefined) return []
  const at = [...path, unknown]
  return [fault(at, `${labelOf(at)} is not allowed`, node[unknown], { code: 'object.unknown' })]
}

function findUnevenRow({ children }: Data, path: Path): readonly Fault[] {
  const widths = (children as readonly { readonly children: readonly unknown[] }[]).map(
    (row) => row.children.length,
  )
  const [limit = 0] = widths
  const index = widths.findIndex((width) => width !== limit)
  if (index === -1) return []
  const at = [...path, 'children', index, 'children']
  const message = `${labelOf(at)} must have ${limit} cells, as the first row of the table`
  return [fault(at, message, undefined, { code: 'blocks.columns', params: { limit } })]
}
