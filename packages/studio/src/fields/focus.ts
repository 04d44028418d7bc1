import { type Address, serializeAddress } from '../entry/address.ts'

const CONTROL =
  ':is(input:not([type=file]), textarea, select:not([role=toolbar] select), [role=switch], [contenteditable=true], [data-open])'
/** Takes the place of an editor while its code loads. */
const PLACEHOLDER = '[data-placeholder]'
/** An editor, also a read-only one, or the notice that its code cannot be loaded. */
const LOADED = `:is(${CONTROL}, [contenteditable], [role=alert])`

const KEEP_IN_VIEW_MS = 3000

/**
 * Puts the cursor into the first field, waiting for its editor if necessary. Returns false if there
 * is no field.
 */
export function focusField(within: HTMLElement | null | undefined): boolean {
  const first = within?.querySelector<HTMLElement>(`[data-field] :is(${CONTROL}, ${PLACEHOLDER})`)
  if (first === null || first === undefined) return false
  const isLoading = first.matches(PLACEHOLDER)
  if (isLoading) focusWhenLoaded(first.closest<HTMLElement>('[data-field]') ?? first)
  else focusOn(first)
  return true
}

/**
 * Focuses a button if the editor is read-only or failed to load. Ends if the user moves the focus
 * before. A menu that closes moves it, too.
 */
function focusWhenLoaded(field: HTMLElement): void {
  const ended = new AbortController()
  const { signal } = ended
  const end = (): void => ended.abort()
  const observer = new MutationObserver(() => {
    const isLoading = field.querySelector(PLACEHOLDER) !== null
    if (isLoading || field.querySelector(LOADED) === null) return
    end()
    if (document.activeElement?.matches(CONTROL) === true) return
    const control = field.querySelector<HTMLElement>(CONTROL)
    if (control === null) focusFirst(field, ['button'])
    else focusOn(control)
  })
  signal.addEventListener('abort', () => observer.disconnect())
  observer.observe(field, { childList: true, subtree: true, attributeFilter: ['data-open'] })
  window.addEventListener('pointerdown', end, { capture: true, signal })
  window.addEventListener('keydown', ({ key }) => key === 'Tab' && end(), { capture: true, signal })
  window.addEventListener('blur', end, { signal })
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

let inView = new AbortController()

/**
 * Editors that load above the field move it. Ends after a moment, with the first input of the user,
 * and when the field loses the focus.
 */
function keepInView(field: HTMLElement): void {
  inView.abort()
  const ended = new AbortController()
  inView = ended
  const { signal } = ended
  const end = (): void => ended.abort()
  const show = (): void => {
    if (field.isConnected) field.scrollIntoView({ block: 'center' })
    else end()
  }
  show()
  const observer = new ResizeObserver(show)
  observer.observe(document.body)
  signal.addEventListener('abort', () => observer.disconnect())
  setTimeout(end, KEEP_IN_VIEW_MS)
  for (const input of ['keydown', 'pointerdown', 'touchmove', 'wheel']) {
    window.addEventListener(input, end, { capture: true, signal })
  }
  const onBlur = ({ target }: Event): void => {
    if (target === window || field.contains(target as Node)) end()
  }
  window.addEventListener('blur', onBlur, { capture: true, signal })
}

/**
 * Focuses the first existing element of a list of selectors, after the focused element was removed.
 */
export function focusFirst(within: HTMLElement | null, selectors: readonly string[]): void {
  const found = selectors.map((one) => within?.querySelector<HTMLElement>(one))
  found.find((one) => one !== null && one !== undefined)?.focus()
}
