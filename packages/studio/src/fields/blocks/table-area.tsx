import { BlocksArea } from './blocks-area.tsx'
import type { TableKit } from './table-kit.ts'
import type { BlocksAreaProps } from './use-editor.ts'
import { keepTables } from './paste-tables.ts'
import { createTable, tableOf } from './table-commands.ts'
import { TableEditing } from './table-editing.ts'
import { TABLE_NODES } from './table-nodes.ts'
import { TableTool } from './table-tool.tsx'

const TABLE_KIT: TableKit = {
  extensions: (canGrow) => [...TABLE_NODES, TableEditing.configure({ canGrow })],
  Tool: TableTool,
  createTable,
  keepTables,
  toTable: tableOf,
}

/** The editor with tables, in a part of its own. */
export function TableArea(props: BlocksAreaProps) {
  return <BlocksArea {...props} tables={TABLE_KIT} />
}
