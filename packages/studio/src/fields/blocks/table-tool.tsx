import { useEffect, useRef } from 'react'
import { Button } from 'react-aria-components'
import { isInTable } from '@tiptap/pm/tables'
import { Drawing } from '../../design/icons/icon.tsx'
import { TOOL_ICONS } from '../../design/icons/tool-icons.ts'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ToolButton } from '../editor/tool-button.tsx'
import toolbar from '../editor/toolbar.module.css'
import { dispatchAsOneStep } from './one-step.ts'
import type { TableToolProps } from './table-kit.ts'
import {
  disabledChanges,
  hasHeaderRow,
  insertTable,
  offeredChanges,
  TABLE_CHANGES,
  type TableChange,
} from './table-commands.ts'

/** Inserts a table, or changes the table of the selection. */
export function TableTool({ editor, canInsert }: TableToolProps) {
  const { t } = useTexts()
  const { state, view } = editor
  const inTable = isInTable(state)
  const hasChanged = useRef(false)
  const goBack = (): void => {
    if (hasChanged.current) view.focus()
    hasChanged.current = false
  }
  useEffect(() => {
    // The menu goes with its table.
    if (!inTable) goBack()
  })
  if (!inTable) {
    const insert = (): void => {
      dispatchAsOneStep(view, insertTable(state))
      view.focus()
    }
    return canInsert && <ToolButton icon="table" name={t('blocks.table')} onPress={insert} />
  }
  const nameOf = (change: TableChange): string => {
    if (change !== 'headerRow') return t(`blocks.table.${change}`)
    return t(hasHeaderRow(state) ? 'blocks.table.noHeaderRow' : 'blocks.table.headerRow')
  }
  const change = (key: unknown): void => {
    TABLE_CHANGES[key as TableChange](view.state, (tr) => dispatchAsOneStep(view, tr))
    hasChanged.current = true
  }
  return (
    <Dropdown
      placement="bottom start"
      aria-label={t('blocks.table.change')}
      onAction={change}
      disabledKeys={disabledChanges(state)}
      trigger={
        <Button
          className={toolbar['tool'] ?? ''}
          aria-label={t('blocks.table.change')}
          data-in-table=""
          onFocus={goBack} // by the menu, when it closes
        >
          <Drawing path={TOOL_ICONS.table} size={15} />
        </Button>
      }
    >
      {offeredChanges(canInsert).map((one) => (
        <DropdownItem key={one} id={one} tone={one === 'deleteTable' ? 'danger' : 'plain'}>
          {nameOf(one)}
        </DropdownItem>
      ))}
    </Dropdown>
  )
}
