const SIGNS = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin', 'dragenter'] as const

let end: () => void = () => undefined
const begun = new Promise<void>((resolve) => (end = resolve))

/**
 * Resolves at the first input of the user since the page was loaded, so that a page shows its texts before it loads the
 * means to edit them.
 */
export function untilInput(): Promise<void> {
  if (navigator.userActivation.hasBeenActive) end()
  for (const sign of SIGNS) window.addEventListener(sign, end, { once: true, passive: true })
  return begun
}

/** Until an input method has finished its word, which the removal of the input would lose. */
export async function untilComposed(input: HTMLElement | null): Promise<void> {
  if (input?.dataset['composing'] === undefined) return
  await new Promise((resolve) => {
    // Safari changes the text after this event.
    input.addEventListener('compositionend', () => setTimeout(resolve), { once: true })
  })
}
