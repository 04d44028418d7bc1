import { Suspense, useState } from 'react'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { type BlockNode, blockText } from '../../entry/block-text.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import styles from './blocks-field.module.css'

const BlocksArea = lazyPart(async () => (await import('./blocks-area.tsx')).BlocksArea)
const TableArea = lazyPart(async () => (await import('./table-area.tsx')).TableArea)

export function BlocksField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const blocks = useValue<readonly BlockNode[] | null>(place)
  const set = useSetValue<readonly BlockNode[] | null>(place)
  const { isReadOnly } = useOpenEntry()
  const canInsertTables = attribute.extended === true
  const hasTables = useHasTables(blocks, canInsertTables)
  const Area = hasTables ? TableArea : BlocksArea
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup>
      {(names) => (
        <LoadBoundary>
          <Suspense fallback={<Plain blocks={blocks} />}>
            <Area
              blocks={blocks}
              canInsertTables={canInsertTables}
              names={names}
              isReadOnly={isReadOnly || attribute.writable === false}
              onChange={set}
            />
          </Suspense>
        </LoadBoundary>
      )}
    </FieldFrame>
  )
}

function Plain({ blocks }: { readonly blocks: readonly BlockNode[] | null }) {
  return (
    <div className={styles['plain']} data-placeholder="">
      {blockText(blocks ?? [])}
    </div>
  )
}

/** Stays true after the last table is deleted, so that the editor stays open. */
function useHasTables(blocks: readonly BlockNode[] | null, canInsert: boolean): boolean {
  const [hadTables, remember] = useState(canInsert)
  const hasTables = hadTables || (blocks ?? []).some(({ type }) => type === 'table')
  if (hasTables !== hadTables) remember(hasTables)
  return hasTables
}
