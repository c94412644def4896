import type { MessagesLike } from "../catalogue.ts"
import type { problems as english } from "../en/problems.ts"

export const problems: MessagesLike<typeof english> = {
  "problem.unreachable":
    "Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
  "problem.unexpected": "Auf dieser Seite ging etwas schief. Laden Sie sie neu.",
  "problem.request": "Wenn es wieder geschieht, melden Sie die Nummer {requestId}.",
  "problem.unauthorized": "Sie sind nicht angemeldet.",
  "problem.blocked": "Ihr Zugang ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.",
  "problem.fresh_sign_in_required":
    "Sie haben sich vor einer Weile angemeldet. Melden Sie sich neu an, um zu zeigen, dass Sie es sind, und kommen Sie dann zurück.",
  "problem.holds_open":
    "Eine Antwort wird noch geschrieben, für Sie oder von einem Ihrer Bots. Halten Sie sie an oder schalten Sie die Bots ab und versuchen Sie es noch einmal.",
  "problem.erasure_limited":
    "Sie haben in den letzten 30 Tagen ein Konto gelöscht. Bitten Sie den Betreiber dieses Dienstes, dieses zu löschen.",
  "problem.insufficient_credits": {
    one: "Das würde mehr kosten, als Sie haben: {count} Credit ist verfügbar.",
    other: "Das würde mehr kosten, als Sie haben: {count} Credits sind verfügbar."
  },
  "problem.insufficient_credits.next": "Ihre nächsten monatlichen Credits kommen am {day}.",
  "problem.insufficient_credits.models": "Es reicht noch für {models}.",
  "problem.model_not_allowed": "Ihr Tarif enthält dieses Modell nicht. Wählen Sie ein anderes.",
  "problem.document_forbidden": "Eines der Dokumente gehört jemand anderem.",
  "problem.document_quota": "Ihr Tarif hat keinen Platz für weitere Dokumente. Löschen Sie nicht mehr gebrauchte.",
  "problem.scanner_unavailable":
    "Diese Datei kann gerade nicht auf Schadsoftware geprüft werden und wurde nicht gespeichert. Versuchen Sie es gleich noch einmal.",
  "problem.storage_quota": "Ihr Tarif hat keinen Platz für weitere Chats. Löschen Sie nicht mehr gebrauchte.",
  "problem.not_found": "Hier ist nichts.",
  "problem.chat_not_found": "Diesen Chat gibt es nicht. Vielleicht wurde er gelöscht.",
  "problem.document_not_found": "Dieses Dokument gibt es nicht. Vielleicht wurde es gelöscht.",
  "problem.head_too_large":
    "Ihr Browser sendet zu viele Cookies an diese Seite. Löschen Sie sie und versuchen Sie es dann noch einmal.",
  "problem.payload_too_large": "Das ist zu groß zum Senden.",
  "problem.prompt_too_long":
    "Ihre Nachricht ist zu lang für dieses Modell. Kürzen Sie sie oder wählen Sie ein anderes.",
  "problem.invalid_chat_request": "Diese Nachricht kann nicht gesendet werden. Ist sie leer oder sehr lang?",
  "problem.request_in_progress": "Diese Frage wird gerade beantwortet.",
  "problem.too_many_abandoned_tries":
    "Zu viele Antworten wurden vor dem ersten Wort abgebrochen. Warten Sie eine Minute.",
  "problem.too_many_replies":
    "Es werden so viele Antworten geschrieben, wie Ihr Tarif erlaubt. Warten Sie, bis eine fertig ist.",
  "problem.daily_cap_reached": "Die Credits für heute sind aufgebraucht.",
  "problem.too_many_requests": "Zu viel auf einmal. Versuchen Sie es gleich noch einmal.",
  "problem.server_busy": "Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.",
  "problem.provider_rate_limited":
    "Das Modell nimmt im Moment keine Fragen mehr an. Versuchen Sie es gleich noch einmal oder wählen Sie ein anderes.",
  "problem.provider_unavailable":
    "Das Modell antwortet im Moment nicht. Versuchen Sie es gleich noch einmal oder wählen Sie ein anderes.",
  "problem.model_failed":
    "Das Modell hat nicht geantwortet. Es wurde nichts berechnet. Versuchen Sie es noch einmal oder wählen Sie ein anderes.",
  "problem.model_unavailable": "Dieses Modell ist auf diesem Server nicht eingerichtet. Wählen Sie ein anderes.",
  "problem.model_misconfigured": "Dieses Modell ist auf diesem Server falsch eingerichtet. Wählen Sie ein anderes.",
  "problem.invalid_bot": "Einige Einstellungen gehen so nicht. Sie sind oben markiert.",
  "problem.bot_not_found": "Diesen Bot gibt es nicht. Vielleicht wurde er gelöscht.",
  "problem.conversation_not_found": "Dieses Gespräch gibt es nicht. Vielleicht wurde es gelöscht.",
  "problem.bot_key_not_found": "Diesen Schlüssel hat der Bot nicht. Vielleicht wurde er stillgelegt.",
  "problem.last_bot_key":
    "Das ist der einzige Schlüssel des Bots. Fügen Sie erst einen hinzu oder schalten Sie den Bot ab.",
  "problem.too_many_bot_keys":
    "Der Bot hat so viele Schlüssel, wie er haben kann. Legen Sie einen still, den keine Seite mehr hat.",
  "problem.too_many_bots":
    "Sie haben so viele Bots, wie Sie haben können. Löschen Sie einen, den Sie nicht mehr brauchen.",
  "problem.bot_misconfigured": "Die Einstellungen dieses Bots sind beschädigt. Speichern Sie sie neu.",
  "problem.payments_not_configured": "Auf diesem Server wird nichts verkauft: Zahlungen sind hier nicht eingerichtet.",
  "problem.payment_provider_unavailable":
    "Der Zahlungsanbieter antwortet im Moment nicht. Es wurde nichts berechnet. Versuchen Sie es gleich noch einmal.",
  "problem.payment_provider_refused":
    "Der Zahlungsanbieter ist auf diesem Server nicht richtig eingerichtet. Es wurde nichts berechnet. Sagen Sie es dem Betreiber.",
  "problem.price_not_offered": "Das wird nicht mehr verkauft. Laden Sie die Seite neu und wählen Sie noch einmal.",
  "problem.already_subscribed": "Sie haben schon einen Tarif. Wechseln Sie ihn auf der Seite des Zahlungsanbieters.",
  "problem.storage_unavailable": "Auf unserer Seite ging etwas schief. Versuchen Sie es gleich noch einmal.",
  "problem.internal_error": "Auf unserer Seite ging etwas schief. Versuchen Sie es gleich noch einmal.",
  "problem.identity_unavailable": "Die Anmeldung ist im Moment nicht möglich. Versuchen Sie es bald wieder."
}
