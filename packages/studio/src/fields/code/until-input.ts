const SIGNS = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin'] as const

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

/** Counts as input: the page is about to focus an editor. */
export function noteInput(): void {
  end()
}
