const PAUSE_MS = 500

type Field = HTMLInputElement | HTMLTextAreaElement

interface AutosaveOptions {
  /** The stored value. */
  readonly read: () => string
  /** `seen` is the value that the change began with. */
  readonly save: (value: string, seen: string) => Promise<void>
  readonly onFailed: (error: unknown) => void
  /** Called when `isSaved` may have changed. */
  readonly onChange: () => void
  /** Ends it, and saves the rest. */
  readonly signal: AbortSignal
}

export interface Autosaved {
  /** Shows a change of another device. */
  readonly show: () => void
  /** Whether the device has stored all that the user typed. */
  readonly isSaved: () => boolean
}

/** Saves a field while the user types. */
export function autosave(field: Field, options: AutosaveOptions): Autosaved {
  const { read, save, onFailed, onChange, signal } = options
  let seen = read()
  let saving = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const store = (): void => {
    clearTimeout(timer)
    timer = undefined
    const [value, before] = [field.value, seen]
    if (value === before) return
    seen = value
    saving += 1
    void save(value, before)
      .catch((error: unknown) => {
        seen = before
        onFailed(error)
      })
      .finally(() => {
        saving -= 1
        onChange()
      })
  }
  field.value = seen
  field.addEventListener('input', () => {
    timer ??= setTimeout(store, PAUSE_MS)
    onChange()
  })
  field.addEventListener('change', store)
  document.addEventListener('visibilitychange', store, { signal })
  signal.addEventListener('abort', store)
  const show = (): void => {
    const value = read()
    if (field.value !== seen || value === seen) return
    seen = value
    const caret = field.selectionStart
    field.value = value
    if (field === document.activeElement) field.setSelectionRange(caret, caret)
  }
  return { show, isSaved: () => saving === 0 && field.value === seen }
}
