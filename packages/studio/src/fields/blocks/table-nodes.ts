import { Extension, Node } from '@tiptap/core'

/** The names by which the table commands find the nodes. */
const ROLES: Readonly<Record<string, string>> = {
  table: 'table',
  tableRow: 'row',
  tableCell: 'cell',
  tableHeaderCell: 'header_cell',
}

const TableRoles = Extension.create({
  name: 'tableRoles',
  extendNodeSchema: ({ name }) => (name in ROLES ? { tableRole: ROLES[name] } : {}),
})

/** The element around the table has the width of the text. */
const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: () => ['div', { 'data-table': '' }, ['table', ['tbody', 0]]],
})

const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeaderCell)+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: () => ['tr', 0],
})

/** Required by the table commands. Blocks have no spans and widths. */
const SPANS = {
  colspan: { default: 1, rendered: false, parseHTML: () => 1 },
  rowspan: { default: 1, rendered: false, parseHTML: () => 1 },
  colwidth: { default: null, rendered: false, parseHTML: () => null },
}

const TableCell = Node.create({
  name: 'tableCell',
  content: 'paragraph',
  isolating: true,
  addAttributes: () => SPANS,
  parseHTML: () => [{ tag: 'td' }],
  renderHTML: () => ['td', 0],
})

const TableHeaderCell = Node.create({
  name: 'tableHeaderCell',
  content: 'paragraph',
  isolating: true,
  addAttributes: () => SPANS,
  parseHTML: () => [{ tag: 'th' }],
  renderHTML: () => ['th', 0],
})

export const TABLE_NODES = [TableRoles, Table, TableRow, TableCell, TableHeaderCell]
