import { type Address, serializeAddress } from '../entry/address.ts'

const CONTROL =
  ':is(input:not([type=file]), textarea, select:not([role=toolbar] select), [role=switch], [contenteditable=true], [data-open])'
/** An editor that is not loaded yet; it will be in a shadow root. */
const UNLOADED_EDITOR = '[data-code]:not([data-open])'
/** Takes the place of an editor while its code loads. */
const PLACEHOLDER = '[data-placeholder]'

/**
 * Puts the cursor into the first field, waiting for its editor if necessary. Returns false if there
 * is no field.
 */
export function focusField(within: HTMLElement | null | undefined): boolean {
  const first = within?.querySelector<HTMLElement>(
    `[data-field] :is(${CONTROL}, ${UNLOADED_EDITOR}, ${PLACEHOLDER})`,
  )
  if (first === null || first === undefined) return false
  if (first.matches(PLACEHOLDER)) {
    focusWhenLoaded(first.closest('[data-field]') ?? first)
    return true
  }
  if (!first.matches(UNLOADED_EDITOR)) {
    focusOn(first)
    return true
  }
  const observer = new MutationObserver(() => {
    observer.disconnect()
    // If the user has started to type elsewhere, the focus stays there.
    if (document.activeElement?.matches(CONTROL) !== true) focusOn(first)
  })
  observer.observe(first, { attributeFilter: ['data-open'] })
  return true
}

function focusWhenLoaded(field: Element): void {
  const observer = new MutationObserver(() => {
    const control = field.querySelector<HTMLElement>(CONTROL)
    if (control === null) return
    observer.disconnect()
    if (document.activeElement?.matches(CONTROL) !== true) focusOn(control)
  })
  observer.observe(field, { childList: true, subtree: true })
}

function focusOn(control: HTMLElement): void {
  const within = control.shadowRoot?.querySelector<HTMLElement>('[contenteditable]')
  const target = within ?? control
  target.focus()
}

/**
 * Scrolls to the first problem and focuses its field, or the collapsed component around it. Returns
 * false if there are no problems.
 */
export function focusProblem(): boolean {
  const sign = document.querySelector<HTMLElement>('[aria-invalid], [data-problem]')
  const field = sign?.closest<HTMLElement>('button, [data-field]')
  if (field === null || field === undefined) return false
  field.scrollIntoView({ block: 'center' })
  if (field.matches('button')) field.focus()
  else if (!focusField(field)) focusFirst(field, ['button'])
  return true
}

/**
 * Scrolls to the field of an address and focuses it, unfolding the components around it. If there is no such field, takes
 * the nearest one around it.
 */
export function focusPlace(address: Address): void {
  const ancestors = address.map((_, index) => serializeAddress(address.slice(0, index + 1)))
  const folded = ancestors
    .map((place) =>
      document.querySelector<HTMLElement>(
        `[data-card="${CSS.escape(place)}"] > * > button[aria-expanded=false]:not([aria-haspopup])`,
      ),
    )
    .find((button) => button !== null)
  if (folded !== undefined) {
    folded.click()
    requestAnimationFrame(() => focusPlace(address))
    return
  }
  const field = ancestors
    .toReversed()
    .map((place) => document.querySelector<HTMLElement>(`[data-field="${CSS.escape(place)}"]`))
    .find((one) => one !== null)
  if (field === undefined) return
  keepInView(field)
  window.focus()
  if (!focusField(field)) focusFirst(field, ['button'])
}

/** Editors that load above the field move it. Ends with the first input of the user. */
function keepInView(field: HTMLElement): void {
  const show = (): void => field.scrollIntoView({ block: 'center' })
  show()
  const observer = new ResizeObserver(show)
  observer.observe(document.body)
  for (const input of ['keydown', 'pointerdown', 'touchmove', 'wheel']) {
    window.addEventListener(input, () => observer.disconnect(), { capture: true, once: true })
  }
}

/**
 * Focuses the first existing element of a list of selectors, after the focused element was removed.
 */
export function focusFirst(within: HTMLElement | null, selectors: readonly string[]): void {
  const found = selectors.map((one) => within?.querySelector<HTMLElement>(one))
  found.find((one) => one !== null && one !== undefined)?.focus()
}
