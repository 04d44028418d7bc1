import { QuireError } from '@quire/client'
import { element } from '../element.ts'
import { client } from '../store.ts'
import { texts } from '../texts.ts'

const NAME = 'atlas-name'

/** Sign-in, registration and sign-out. The name of the user is also available offline. */
export function account(isNew = false): readonly HTMLElement[] {
  const place = element('div')
  const show = (...shown: readonly HTMLElement[]): void => place.replaceChildren(...shown)
  const name = localStorage.getItem(NAME)
  if (name === null) show(form(isNew))
  else show(...signedIn(name))
  return [element('h1', {}, texts.account), place]
}

function again(isNew = false): void {
  document.querySelector('main')?.replaceChildren(...account(isNew))
}

function signedIn(name: string): readonly HTMLElement[] {
  const leave = element('button', { type: 'button' }, texts.signOut)
  leave.addEventListener('click', () => {
    localStorage.removeItem(NAME)
    void client.$auth.signOut().then(() => again())
  })
  return [element('p', {}, texts.signedInAs(name)), leave]
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
      (user) => {
        localStorage.setItem(NAME, user?.username ?? identifier)
        again()
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
