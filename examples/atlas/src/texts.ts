export type Language = 'en' | 'de'

const ENGLISH = {
  articles: 'Articles',
  countries: 'Countries',
  account: 'Account',
  loading: 'Fetching the atlas…',
  offline: 'Offline: this is what was fetched last',
  failed: 'The server does not answer as it should; this is what was fetched last',
  noRoom: 'There is no room left on this device',
  minutes: (count: number) => `${count} min`,
  search: 'Find a country',
  nothing: 'Nothing here yet',
  gone: 'This is not here any more.',
  capital: 'Capital',
  area: 'Area',
  region: 'Region',
  borders: 'Borders',
  island: 'No land borders',
  about: 'In this article',
  readMore: 'Read about it',
  otherLanguage: 'Deutsch',
  signIn: 'Sign in',
  register: 'Make an account',
  signOut: 'Sign out',
  name: 'User name',
  email: 'E-mail',
  password: 'Password',
  haveAccount: 'I have an account',
  noAccount: 'I have no account yet',
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  wrong: 'The name or the password is wrong.',
  unreachable: 'Signing in needs a network.',
}

const GERMAN: typeof ENGLISH = {
  articles: 'Artikel',
  countries: 'Länder',
  account: 'Konto',
  loading: 'Der Atlas wird geholt …',
  offline: 'Offline: das ist der letzte Stand',
  failed: 'Der Server antwortet nicht, wie er soll; das ist der letzte Stand',
  noRoom: 'Auf diesem Gerät ist kein Platz mehr',
  minutes: (count) => `${count} Min.`,
  search: 'Land suchen',
  nothing: 'Hier ist noch nichts',
  gone: 'Das gibt es nicht mehr.',
  capital: 'Hauptstadt',
  area: 'Fläche',
  region: 'Region',
  borders: 'Grenzt an',
  island: 'Keine Landgrenzen',
  about: 'In diesem Artikel',
  readMore: 'Mehr dazu',
  otherLanguage: 'English',
  signIn: 'Anmelden',
  register: 'Konto anlegen',
  signOut: 'Abmelden',
  name: 'Benutzername',
  email: 'E-Mail',
  password: 'Passwort',
  haveAccount: 'Ich habe ein Konto',
  noAccount: 'Ich habe noch kein Konto',
  signedInAs: (name) => `Angemeldet als ${name}.`,
  wrong: 'Name oder Passwort stimmen nicht.',
  unreachable: 'Zum Anmelden braucht es ein Netz.',
}

const LANGUAGE = 'atlas-language'

/** The saved choice, otherwise the language of the browser. */
export const language: Language = chosen()

export const texts = language === 'de' ? GERMAN : ENGLISH

function chosen(): Language {
  const kept = localStorage.getItem(LANGUAGE) ?? navigator.language
  return kept.startsWith('de') ? 'de' : 'en'
}

export function switchLanguage(): void {
  localStorage.setItem(LANGUAGE, language === 'de' ? 'en' : 'de')
  location.reload()
}
