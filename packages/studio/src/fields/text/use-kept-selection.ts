import { type RefObject, useLayoutEffect, useRef } from 'react'
import { mapOffset, textDifference } from '../text-difference.ts'

type TextInput = HTMLInputElement & HTMLTextAreaElement

/**
 * Keeps the selection of a focused input at its text when its value changes from elsewhere. Inputs
 * of type `email` have no selection that scripts can read.
 */
export function useKeptSelection(text: string): RefObject<TextInput | null> {
  const input = useRef<TextInput>(null)
  // During the render the input still has the text and the selection from before.
  const before = focusedSelection(input.current)
  useLayoutEffect(() => {
    const change = before === null ? null : textDifference(before.text, text)
    if (before === null || change === null) return
    const [start, end] = [mapOffset(before.start, change), mapOffset(before.end, change)]
    input.current?.setSelectionRange(start, end, before.direction)
  })
  return input
}

function focusedSelection(input: TextInput | null) {
  if (input === null || input !== document.activeElement) return null
  const { value: text, selectionStart: start, selectionEnd: end } = input
  const { selectionDirection: direction } = input
  return (start as number | null) === null ? null : { text, start, end, direction }
}
