import { useRef, useState } from 'react'
import type { Node, Schema } from '@tiptap/pm/model'
import { useTexts } from '../../texts/texts.ts'
import { dispatchAsOneStep } from './one-step.ts'
import type { Editor } from './open-blocks-editor.ts'
import { filterSlashItems, findSlash, replaceSlash, type SlashItem, slashItems } from './slash.ts'

export interface SlashState {
  readonly items: readonly SlashItem[]
  readonly active: number
}

/**
 * The menu of a `/` at the start of a paragraph. It opens by typing only, and stays closed after
 * Escape until the `/` is gone.
 */
export function useSlash(createTable: ((schema: Schema) => Node) | null, onPicture: () => void) {
  const texts = useTexts()
  const [state, setState] = useState<SlashState | null>(null)
  const isDismissed = useRef(false)
  const close = (): void => setState(null)
  const follow = (editor: Editor, hasChanged: boolean): void => {
    const query = findSlash(editor.state)
    if (query === null) isDismissed.current = false
    if (query === null || isDismissed.current) return close()
    const items = filterSlashItems(slashItems(texts, createTable), query)
    setState((before) => {
      if (items.length === 0 || (before === null && !hasChanged)) return null
      return { items, active: hasChanged ? 0 : Math.min(before?.active ?? 0, items.length - 1) }
    })
  }
  const choose = (editor: Editor, { create }: SlashItem): void => {
    close()
    const { schema } = editor
    const block = create?.(schema) ?? schema.node('paragraph')
    dispatchAsOneStep(editor.view, replaceSlash(editor.state, block))
    if (create === undefined) onPicture()
    else editor.view.focus()
  }
  const activate = (active: number): void =>
    setState((before) => before && { ...before, active: active })
  const press = (editor: Editor, key: string): boolean => {
    if (state === null) return false
    const { items, active } = state
    if (key === 'ArrowDown') activate((active + 1) % items.length)
    else if (key === 'ArrowUp') activate((active + items.length - 1) % items.length)
    else if (key === 'Escape') {
      isDismissed.current = true
      close()
    } else {
      const item = items[active]
      if (key !== 'Enter' || item === undefined) return false
      choose(editor, item)
    }
    return true
  }
  return { state, follow, choose, activate, press, close }
}
