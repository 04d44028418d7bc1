import { expect } from 'chai'
import { array, assert, constant, double, oneof, property, record } from 'fast-check'
import type { TextSelection } from '../../src/fields/code/code-editor.ts'
import { type ActedEditor, WaitingActions } from '../../src/fields/code/waiting-actions.ts'

interface TestEditor extends ActedEditor {
  readonly getText: () => string
  readonly wrap: (open: string, close: string) => void
}

function openEditor(initial: string, at: TextSelection): TestEditor {
  let [text, selection] = [initial, at]
  let wraps: ((offset: number, side: 'before' | 'after') => number)[] = []
  return {
    getText: () => text,
    getSelection: () => selection,
    select: (next) => (selection = next),
    record: (action) => {
      const own: typeof wraps = []
      wraps = own
      action()
      return (offset, side) => own.reduce((at, moved) => moved(at, side), offset)
    },
    wrap: (open, close) => {
      const { anchor, head } = selection
      wraps.push((offset, side) => {
        const isBehind = (place: number): boolean =>
          offset > place || (offset === place && side === 'after')
        const shift = isBehind(anchor) ? open.length : 0
        return offset + shift + (isBehind(head) ? close.length : 0)
      })
      text = text.slice(0, anchor) + open + text.slice(anchor, head) + close + text.slice(head)
      selection = { anchor: anchor + open.length, head: head + open.length }
    },
  }
}

const at = (anchor: number, head = anchor): TextSelection => ({ anchor, head })
const bold = (editor: TestEditor): void => editor.wrap('**', '**')
const italic = (editor: TestEditor): void => editor.wrap('_', '_')

describe('WaitingActions', () => {
  const waiting = (): WaitingActions<TestEditor> => new WaitingActions()

  it('applies two tools to one selection, and keeps it selected', () => {
    const actions = waiting()
    actions.add(bold, { text: 'one two', selection: at(0, 3) }, true)
    actions.add(italic, { text: 'one two', selection: at(0, 3) }, true)
    const editor = openEditor('one two', at(0, 3))
    actions.runOn(editor)
    expect(editor.getText()).to.equal('**_one_** two')
    expect(editor.getSelection()).to.deep.equal(at(3, 6))
  })

  it('includes a word that is typed at an empty selection, and keeps the cursor in it', () => {
    const actions = waiting()
    actions.add(bold, { text: 'so ', selection: at(3) }, true)
    for (const text of ['so n', 'so ne', 'so new']) actions.follow(text)
    const editor = openEditor('so new', at(6))
    actions.runOn(editor)
    expect(editor.getText()).to.equal('so **new**')
    expect(editor.getSelection()).to.deep.equal(at(8))
  })

  it('stays at its place for an action that does not include typed text', () => {
    const actions = waiting()
    actions.add((editor) => editor.wrap('!', ''), { text: 'ab', selection: at(1) }, false)
    const editor = openEditor('aXb', at(2))
    actions.follow('aXb')
    actions.runOn(editor)
    expect(editor.getText()).to.equal('a!Xb')
    expect(editor.getSelection()).to.deep.equal(at(3))
  })

  it('includes text that replaces its selection', () => {
    const actions = waiting()
    actions.add(bold, { text: 'one two', selection: at(4, 7) }, true)
    actions.follow('one more')
    const editor = openEditor('one more', at(8))
    actions.runOn(editor)
    expect(editor.getText()).to.equal('one **more**')
  })

  it('runs each action once', () => {
    const actions = waiting()
    actions.add(bold, { text: 'one', selection: at(0, 3) }, true)
    const editor = openEditor('one', at(0, 3))
    actions.runOn(editor)
    actions.runOn(editor)
    expect(editor.getText()).to.equal('**one**')
  })

  it('encloses exactly its characters, wherever others are typed', () => {
    const share = double({ min: 0, max: 1, noNaN: true })
    const step = oneof(
      record({ kind: constant('type' as const), place: share }),
      record({ kind: constant('press' as const), from: share, to: share }),
    )
    assert(
      property(array(step, { maxLength: 12 }), (steps) => {
        const actions = waiting()
        const members: Set<string>[] = []
        let [text, codes] = ['abcd', 0x4e00]
        const offset = (part: number): number => Math.round(part * text.length)
        for (const one of steps) {
          if (one.kind === 'press') {
            const [from = 0, to = 0] = [offset(one.from), offset(one.to)].sort((a, b) => a - b)
            const [open, close] = [mark(members.length), mark(members.length, 'end')]
            actions.add(
              (editor) => editor.wrap(open, close),
              { text, selection: at(from, to) },
              true,
            )
            members.push(new Set(text.slice(from, to)))
            growing.set(members.at(-1), from === to ? from : null)
            continue
          }
          const [place, typed] = [offset(one.place), String.fromCodePoint(codes++)]
          for (const own of members) join(own, text, place, typed)
          text = text.slice(0, place) + typed + text.slice(place)
          actions.follow(text)
        }
        const editor = openEditor(text, at(text.length))
        actions.runOn(editor)
        for (const [index, own] of members.entries()) {
          const all = editor.getText()
          const [start, end] = [all.indexOf(mark(index)), all.indexOf(mark(index, 'end'))]
          expect(withoutMarks(all.slice(start, end)).split('')).to.have.members([...own])
        }
        expect(withoutMarks(editor.getText())).to.equal(text)
      }),
    )
  })

  /** The place of an action without characters; null for one that had some. */
  const growing = new Map<Set<string> | undefined, number | null>()

  function join(own: Set<string>, text: string, place: number, typed: string): void {
    const members = [text[place - 1], text[place]].filter((char) => own.has(char ?? '')).length
    const gap = growing.get(own) ?? null
    const isAtGap = gap === place && own.size === 0
    if (gap === null ? members === 2 : members > 0 || isAtGap) own.add(typed)
    if (gap !== null && place < gap) growing.set(own, gap + 1)
  }

  const mark = (index: number, end?: 'end'): string =>
    String.fromCodePoint(0xe000 + 2 * index + (end === undefined ? 0 : 1))
  const withoutMarks = (text: string): string => text.replaceAll(/[\u{e000}-\u{f8ff}]/gu, '')
})
