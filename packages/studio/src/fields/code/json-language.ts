import { json, jsonParseLinter } from '@codemirror/lang-json'
import { type Diagnostic, linter } from '@codemirror/lint'
import type { EditorView } from '@codemirror/view'

const lintText = jsonParseLinter()

/** An empty field is null, not malformed JSON. */
function lintJson(view: EditorView): readonly Diagnostic[] {
  return view.state.doc.toString().trim() === '' ? [] : lintText(view)
}

/** A part of its own, because most entries have no JSON. */
export const JSON_LANGUAGE = [json(), linter(lintJson)]
