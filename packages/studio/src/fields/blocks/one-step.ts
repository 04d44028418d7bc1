import { closeHistory } from '@tiptap/pm/history'
import type { Transaction } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'

/** Dispatches a transaction as a step of undo, apart from the typing before and after. */
export function dispatchAsOneStep(view: EditorView, transaction: Transaction): void {
  view.dispatch(closeHistory(transaction))
  view.dispatch(closeHistory(view.state.tr))
}
