import { useEffect, useId, useState } from 'react'
import { Floating } from './floating.tsx'
import { LinkForm } from './link-form.tsx'
import type { Editor } from './open-blocks-editor.ts'
import { hasSelectedText, SelectionBar } from './selection-bar.tsx'
import { SlashMenu } from './slash-menu.tsx'
import type { useSlash } from './use-slash.ts'

export interface AtSelectionProps {
  readonly editor: Editor
  readonly slash: ReturnType<typeof useSlash>
  readonly isFocused: boolean
  readonly isLinking: boolean
  readonly onLink: (isLinking: boolean) => void
}

/** The menu, the form of a link or the tools at the selection: at most one of them. */
export function AtSelection({ editor, slash, isFocused, isLinking, onLink }: AtSelectionProps) {
  const id = useId()
  const isPressed = usePressed(editor)
  const { from, to } = editor.state.selection
  const place = `${from}-${to}`
  const [closedAt, closeAt] = useState('')
  if (isLinking) {
    return (
      <Floating {...{ editor, from, to }} side="below">
        <LinkForm editor={editor} onDone={() => onLink(false)} />
      </Floating>
    )
  }
  if (slash.state !== null) {
    return (
      <Floating {...{ editor, from, to }} side="below">
        <SlashMenu
          {...{ id, editor }}
          {...slash.state}
          onActivate={slash.activate}
          onChoose={(item) => slash.choose(editor, item)}
        />
      </Floating>
    )
  }
  const isShown = isFocused && !isPressed && closedAt !== place && hasSelectedText(editor)
  if (!isShown) return null
  return (
    <Floating {...{ editor, from, to }} side="above">
      <SelectionBar {...{ editor, onLink }} onClose={() => closeAt(place)} />
    </Floating>
  )
}

/** Whether the pointer selects text, which the tools would cover. */
function usePressed({ view }: Editor): boolean {
  const [isPressed, press] = useState(false)
  useEffect(() => {
    const { dom } = view
    const down = (): void => press(true)
    const up = (): void => press(false)
    dom.addEventListener('pointerdown', down)
    window.addEventListener('pointerup', up)
    window.addEventListener('pointercancel', up)
    return () => {
      dom.removeEventListener('pointerdown', down)
      window.removeEventListener('pointerup', up)
      window.removeEventListener('pointercancel', up)
    }
  }, [view])
  return isPressed
}
