/** Every text of the Studio. `one | many` are the forms of `{count}`. */
export const english = {
  'app.name': 'Quire',
  'app.loading': 'Loading',
  'app.skip': 'Skip to content',
  'app.offline': 'The server cannot be reached. What you typed is kept.',

  'action.cancel': 'Cancel',
  'action.close': 'Close',
  'action.save': 'Save',
  'action.delete': 'Delete',
  'action.undo': 'Undo',
  'action.retry': 'Try again',
  'action.copy': 'Copy',
  'action.copied': 'Copied',
  'action.add': 'Add',
  'action.remove': 'Remove {name}',
  'action.more': 'More',
  'action.back': 'Back',

  'state.draft': 'Draft',
  'state.published': 'Published',
  'state.changed': 'Changed',

  'error.title': 'This did not work',
  'error.network': 'The server cannot be reached',
  'error.missing': 'There is nothing at this address',
  'error.missing.hint': 'It may have been deleted, or the address is mistyped.',
  'error.forbidden': 'Your role does not allow this',
  'error.forbidden.hint': 'Ask an administrator for the permission.',

  'signIn.title': 'Sign in',
  'signIn.again': 'You have been signed out',
  'signIn.again.hint': 'Sign in again to go on. Nothing that you typed is lost.',
  'signIn.email': 'E-mail',
  'signIn.password': 'Password',
  'signIn.submit': 'Sign in',
  'signIn.passkey': 'Sign in with a passkey',
  'signIn.or': 'or',
  'signIn.oidc': 'Continue with {name}',
  'signIn.wrong': 'E-mail or password is wrong',
  'signIn.limited': 'Too many attempts. Try again in a few minutes.',
  signOut: 'Sign out',

  'firstStart.title': 'Welcome to Quire',
  'firstStart.hint': 'You are the first administrator of this installation.',
  'firstStart.name': 'Your name',
  'firstStart.submit': 'Begin',
  'firstStart.noToken':
    'Open the link that the server printed when it started, or run “npx quire admin add”.',

  'nav.label': 'Main navigation',
  'nav.open': 'Open navigation',
  'nav.home': 'Home',
  'nav.collections': 'Collections',
  'nav.singles': 'Single types',

  'keys.title': 'Keyboard',
  'keys.palette': 'Search or go to',
  'keys.help': 'This help',
  'keys.home': 'Go home',

  'palette.placeholder': 'Search or go to…',
  'palette.title': 'Search or go to',
  'palette.go': 'Go to',
  'palette.create': 'Create',
  'palette.entries': 'Entries',
  'palette.person': 'You',
  'palette.new': 'New {name}',
  'palette.empty': 'Nothing found for “{text}”',

  'home.title': 'Home',
  'home.hello': 'Hello, {name}',
} as const

export type TextKey = keyof typeof english

/** All of them, in one language. */
export type Catalogue = Readonly<Record<TextKey, string>>
