import type { totpEnglish } from './totp-english.ts'

export const totpGerman: Readonly<Record<keyof typeof totpEnglish, string>> = {
  'signIn.code': 'Code',
  'signIn.codeHint': 'Sechs Ziffern aus Ihrer Authenticator-App oder ein Wiederherstellungscode',
  'signIn.recent': 'Noch einmal anmelden',
  'signIn.recent.hint':
    'Ihre Anmeldung ist älter als zehn Minuten. Melden Sie sich noch einmal an, um fortzufahren.',

  'totp.title': 'Zweiter Faktor',
  'totp.hint': 'Nach dem Passwort einen Code aus einer Authenticator-App verlangen.',
  'totp.none': 'Kein Code nötig',
  'totp.noneHint': 'Ihr Passwort allein genügt zur Anmeldung.',
  'totp.setUp': 'App einrichten',
  'totp.continue': 'Weiter',
  'totp.scan':
    'Scannen Sie diesen Code mit Ihrer Authenticator-App, oder tippen Sie den Schlüssel ab.',
  'totp.qrCode': 'QR-Code für Ihre Authenticator-App',
  'totp.key': 'Schlüssel',
  'totp.codeHint': 'Sechs Ziffern aus Ihrer App',
  'totp.confirm': 'Bestätigen',
  'totp.app': 'Authenticator-App',
  'totp.left': 'noch {count} Wiederherstellungscode | noch {count} Wiederherstellungscodes',
  'totp.recoveryCodes': 'Wiederherstellungscodes',
  'totp.recoveryHint':
    'Bewahren Sie diese Codes sicher auf. Mit jedem können Sie sich einmal ohne Ihr Smartphone anmelden. Die Codes werden nur jetzt angezeigt.',
  'totp.done': 'Fertig',
  'totp.renew': 'Neue Wiederherstellungscodes',
  'totp.remove': 'Entfernen',
  'totp.removeTitle': 'Zweiten Faktor entfernen?',
  'totp.removeHint': 'Zur Anmeldung genügt dann Ihr Passwort allein.',
  'totp.removed': 'Zweiter Faktor entfernt',
  'totp.reset': 'Zweiten Faktor zurücksetzen',
  'totp.resetTitle': 'Zweiten Faktor von {name} zurücksetzen?',
  'totp.resetHint':
    'Tun Sie das nach dem Verlust des Smartphones. Die nächste Anmeldung braucht keinen Code.',

  'secondFactor.title': 'Zweiten Faktor einrichten',
  'secondFactor.hint': 'Dieser Server verlangt für Ihre Rolle einen zweiten Faktor.',
  'secondFactor.none':
    'Dieser Server verlangt für Ihre Rolle einen zweiten Faktor. Bitten Sie einen Administrator um einen Passwort-Link.',

  'forgot.link': 'Passwort vergessen?',
  'forgot.title': 'Passwort zurücksetzen',
  'forgot.hint': 'Ein Link für ein neues Passwort wird an Ihre E-Mail-Adresse gesendet.',
  'forgot.submit': 'Link senden',
  'forgot.sent':
    'Wenn ein Konto mit Passwort diese Adresse hat, ist der Link unterwegs. Er gilt eine Stunde.',
  'forgot.noMail':
    'Dieser Server sendet keine E-Mails. Bitten Sie einen Administrator um einen Passwort-Link.',
  'forgot.back': 'Zurück zur Anmeldung',
}
