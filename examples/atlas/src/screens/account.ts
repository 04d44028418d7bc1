import { QuireError } from '@quire/client'
import { element } from '../element.ts'
import { client } from '../store.ts'
import { forgetPictures } from '../notebook/pictures.ts'
import { hasSessionEnded, notebook } from '../notebook/store.ts'
import { texts } from '../texts.ts'
import { endSession, startAs, type User, user } from '../user.ts'

/** Sign-in, registration and sign-out. The name of the user is also available offline. */
export function account(isNew = false): readonly HTMLElement[] {
  const isOut = user === null || hasSessionEnded()
  return [
    element('h1', {}, texts.account),
    ...(user === null ? [] : signedIn(user)),
    ...(isOut ? [form(isNew)] : []),
  ]
}

function again(isNew = false): void {
  document.querySelector('main')?.replaceChildren(...account(isNew))
}

function signedIn({ username, documentId }: User): readonly HTMLElement[] {
  const told = element('p', { role: 'alert', class: 'fault' })
  const leave = element('button', { type: 'button' }, texts.signOut)
  const leaveAnyway = element('button', { type: 'button', hidden: true }, texts.signOutAnyway)
  const signOut = async (force: boolean): Promise<void> => {
    try {
      await notebook?.$clear({ force })
    } catch {
      told.textContent = texts.notSentYet
      leaveAnyway.hidden = false
      return
    }
    await forgetPictures()
    await endSession()
  }
  leave.addEventListener('click', () => void signOut(false))
  leaveAnyway.addEventListener('click', () => void signOut(true))
  return [
    element('p', {}, texts.signedInAs(username)),
    element('p', {}, `${texts.yourCode} `, element('code', {}, documentId)),
    leave,
    told,
    leaveAnyway,
  ]
}

function form(isNew: boolean): HTMLElement {
  const told = element('p', { role: 'alert', class: 'fault' })
  const other = element(
    'button',
    { type: 'button', class: 'plain' },
    isNew ? texts.haveAccount : texts.noAccount,
  )
  other.addEventListener('click', () => again(!isNew))
  const made = element(
    'form',
    {},
    field('identifier', texts.name, 'text', 'username'),
    isNew && field('email', texts.email, 'email', 'email'),
    field('password', texts.password, 'password', isNew ? 'new-password' : 'current-password'),
    told,
    element('button', {}, isNew ? texts.register : texts.signIn),
    other,
  )
  made.addEventListener('submit', (event) => {
    event.preventDefault()
    told.textContent = ''
    const given = new FormData(made)
    const text = (name: string): string => {
      const value = given.get(name)
      return typeof value === 'string' ? value : ''
    }
    const [identifier, password] = [text('identifier'), text('password')]
    const done = isNew
      ? client.$auth.register({ username: identifier, email: text('email'), password })
      : client.$auth.signIn({ identifier, password })
    done.then(
      (account) => {
        if (account === null) told.textContent = texts.confirmFirst
        else startAs(account)
      },
      (error: unknown) => {
        told.textContent = faultOf(error, isNew)
      },
    )
  })
  return made
}

function field(name: string, label: string, type: string, autocomplete: string): HTMLElement {
  return element('label', {}, label, element('input', { name, type, autocomplete, required: true }))
}

function faultOf(error: unknown, isNew: boolean): string {
  if (!(error instanceof QuireError)) return texts.unreachable
  return isNew ? error.message : texts.wrong
}
