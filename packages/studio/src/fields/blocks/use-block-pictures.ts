import { useEffect, useRef } from 'react'
import type { Transaction } from '@tiptap/pm/state'
import { notifyFailure } from '../../design/toasts.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { isOfKind } from '../media/file-kinds.ts'
import { useUploads } from '../media/use-uploads.ts'
import { insertPicture } from './insert-picture.ts'
import { dispatchAsOneStep } from './one-step.ts'
import type { Editor } from './open-blocks-editor.ts'

/** Uploads pictures. Each one becomes a block at its position, which follows later changes. */
export function useBlockPictures(editor: Editor | null) {
  const { t } = useTexts()
  const places = useRef(new Map<number, number>())
  const { uploads, start, drop } = useUploads((file, id) => {
    if (editor === null || editor.isDestroyed) return
    const at = places.current.get(id) ?? editor.state.doc.content.size
    places.current.delete(id)
    const next = [...places.current].flatMap(([other, place]) => (place === at ? [other] : []))
    const { tr, end } = insertPicture(editor.state, at, file)
    dispatchAsOneStep(editor.view, tr)
    for (const other of next) places.current.set(other, end)
  })
  useEffect(() => {
    if (editor === null) return
    const follow = ({ transaction }: { readonly transaction: Transaction }): void => {
      for (const [id, at] of places.current) places.current.set(id, transaction.mapping.map(at))
    }
    editor.on('transaction', follow)
    return () => void editor.off('transaction', follow)
  }, [editor])
  const take = (files: readonly File[], at?: number): void => {
    const pictures = files.filter(({ type }) => isOfKind(type, ['images']))
    if (pictures.length < files.length) notifyFailure(t('media.wrongKind'))
    const place = at ?? editor?.state.selection.to
    for (const id of start(pictures)) if (place !== undefined) places.current.set(id, place)
  }
  const insert = (file: FileValue): void => {
    if (editor === null) return
    dispatchAsOneStep(editor.view, insertPicture(editor.state, editor.state.selection.to, file).tr)
    editor.view.focus()
  }
  return { uploads, drop, take, insert }
}
