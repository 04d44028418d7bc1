import type { Catalogue } from './english.ts'

export const german: Catalogue = {
  'app.name': 'Quire',
  'app.loading': 'Lädt',
  'app.skip': 'Zum Inhalt springen',
  'app.offline': 'Der Server ist nicht erreichbar. Ihre Eingaben bleiben erhalten.',

  'action.cancel': 'Abbrechen',
  'action.close': 'Schließen',
  'action.save': 'Speichern',
  'action.delete': 'Löschen',
  'action.undo': 'Rückgängig',
  'action.retry': 'Erneut versuchen',
  'action.copy': 'Kopieren',
  'action.copied': 'Kopiert',
  'action.add': 'Hinzufügen',
  'action.remove': '{name} entfernen',
  'action.more': 'Mehr',
  'action.back': 'Zurück',

  'state.draft': 'Entwurf',
  'state.published': 'Veröffentlicht',
  'state.changed': 'Geändert',

  'error.title': 'Das hat nicht geklappt',
  'error.network': 'Der Server ist nicht erreichbar',
  'error.missing': 'Unter dieser Adresse ist nichts',
  'error.missing.hint': 'Vielleicht wurde es gelöscht, oder die Adresse ist vertippt.',
  'error.forbidden': 'Ihre Rolle erlaubt das nicht',
  'error.forbidden.hint': 'Bitten Sie einen Administrator um die Berechtigung.',

  'signIn.title': 'Anmelden',
  'signIn.again': 'Sie wurden abgemeldet',
  'signIn.again.hint':
    'Melden Sie sich wieder an, um fortzufahren. Nichts, was Sie eingegeben haben, geht verloren.',
  'signIn.email': 'E-Mail',
  'signIn.password': 'Passwort',
  'signIn.submit': 'Anmelden',
  'signIn.passkey': 'Mit Passkey anmelden',
  'signIn.or': 'oder',
  'signIn.oidc': 'Weiter mit {name}',
  'signIn.wrong': 'E-Mail oder Passwort ist falsch',
  'signIn.limited': 'Zu viele Versuche. Versuchen Sie es in einigen Minuten wieder.',
  signOut: 'Abmelden',

  'firstStart.title': 'Willkommen bei Quire',
  'firstStart.hint': 'Sie sind der erste Administrator dieser Installation.',
  'firstStart.name': 'Ihr Name',
  'firstStart.submit': 'Beginnen',
  'firstStart.noToken':
    'Öffnen Sie den Link, den der Server beim Start ausgegeben hat, oder führen Sie „npx quire admin add“ aus.',

  'nav.label': 'Hauptnavigation',
  'nav.open': 'Navigation öffnen',
  'nav.home': 'Start',
  'nav.collections': 'Sammlungen',
  'nav.singles': 'Einzelseiten',

  'keys.title': 'Tastatur',
  'keys.palette': 'Suchen oder gehen zu',
  'keys.help': 'Diese Hilfe',
  'keys.home': 'Zum Start',

  'palette.placeholder': 'Suchen oder gehen zu …',
  'palette.title': 'Suchen oder gehen zu',
  'palette.go': 'Gehe zu',
  'palette.create': 'Anlegen',
  'palette.entries': 'Einträge',
  'palette.person': 'Sie',
  'palette.new': 'Neu: {name}',
  'palette.empty': 'Nichts gefunden für „{text}“',

  'home.title': 'Start',
  'home.hello': 'Hallo, {name}',
}
