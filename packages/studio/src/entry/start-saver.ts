import type { Autosave } from './autosave.ts'

type Listening = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

/**
 * Starts the saving of an open form. The form stores its changes again if another window takes them,
 * which happens without locks. Returns a function that stops it.
 *
 * @param page receives the `storage` events of the browser
 */
export function startSaver(
  saver: Pick<Autosave, 'start' | 'keep'>,
  page: Listening = window,
): () => void {
  const stop = saver.start()
  const onStorage = (event: Event): void => {
    if ((event as StorageEvent).newValue === null) saver.keep()
  }
  page.addEventListener('storage', onStorage)
  return () => {
    page.removeEventListener('storage', onStorage)
    stop()
  }
}
