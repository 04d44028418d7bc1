import type { Editor, Extensions } from '@tiptap/core'
import type { Node, Schema } from '@tiptap/pm/model'
import type { ComponentType } from 'react'

export interface TableToolProps {
  readonly editor: Editor
  /** False if the text holds a table from before, but cannot be saved with one. */
  readonly canInsert: boolean
}

/** The parts of the editor for tables. They load for texts that can hold a table, or hold one. */
export interface TableKit {
  /** @param canGrow false without the option */
  readonly extensions: (canGrow: boolean) => Extensions
  readonly Tool: ComponentType<TableToolProps>
  readonly createTable: (schema: Schema) => Node
  /** Brings pasted tables into the form of the editor. */
  readonly keepTables: (body: HTMLElement) => void
  /** @param rows of equal length */
  readonly toTable: (schema: Schema, rows: readonly (readonly string[])[]) => Node
}
