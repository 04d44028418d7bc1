import { Suspense } from 'react'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import type { ScalarAttribute } from '../../api/attributes.ts'
import { type BlockNode, blockText } from '../../entry/block-text.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import styles from './blocks-field.module.css'

const BlocksArea = lazyPart(async () => (await import('./blocks-area.tsx')).BlocksArea)

export function BlocksField({ attribute, name, place }: FieldProps<ScalarAttribute>) {
  const blocks = useValue<readonly BlockNode[] | null>(place)
  const set = useSetValue<readonly BlockNode[] | null>(place)
  const { isReadOnly } = useOpenEntry()
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup>
      {(names) => (
        <LoadBoundary>
          <Suspense fallback={<div className={styles['plain']}>{blockText(blocks ?? [])}</div>}>
            <BlocksArea
              blocks={blocks}
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
