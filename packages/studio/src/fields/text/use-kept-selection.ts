import { type RefObject, useLayoutEffect, useRef } from 'react'
import { mapOffset, textDifferences } from '../text-difference.ts'

type TextInput = HTMLInputElement & HTMLTextAreaElement

/**
 * Keeps the selection of a focused input at its text when its value changes from elsewhere.
 */
export function useKeptSelection(text: string): RefObject<TextInput | null> {
  const input = useRef<TextInput>(null)
  // During the render the input still has the text and the selection from before.
  const before = focusedSelection(input.current)
  useLayoutEffect(() => {
    if (before === null || before.text === text) return
    const changes = textDifferences(before.text, text)
    const [start, end] = [mapOffset(before.start, changes), mapOffset(before.end, changes)]
    input.current?.setSelectionRange(start, end, before.direction)
  })
  return input
}

function focusedSelection(input: TextInput | null) {
  if (input === null || input !== document.activeElement) return null
  const { value: text, selectionStart: start, selectionEnd: end } = input
  const { selectionDirection: direction } = input
  return { text, start, end, direction }
}
