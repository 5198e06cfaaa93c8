"""Sentences from lists of words, in five languages and three manners of speaking."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, eq=False)
class Speech:
    """What sentences are made of; ``#`` stands for a number."""

    subjects: list[str]
    verbs: list[str]
    objects: list[str]
    places: list[str]
    joints: list[str]
    said: str
    quotes: str

    def clause(self, rng: Random) -> str:
        parts = (self.subjects, self.verbs, self.objects)
        return _numbered(" ".join(map(rng.choice, parts)), rng)

    def sentence(self, rng: Random) -> str:
        text = self.clause(rng)
        if rng.random() < 0.7:
            text += f" {rng.choice(self.places)}"
        if rng.random() < 0.4:
            text += f", {rng.choice(self.joints)} {self.clause(rng)}"
        text = f"{text[0].upper()}{_numbered(text[1:], rng)}."
        if rng.random() < 0.1:
            start, end = self.quotes
            text = f"{start}{text[:-1]},{end} {self.said} {name(rng)}."
        return text

    def paragraph(self, rng: Random, sentences: int | None = None) -> str:
        count = sentences or rng.randint(2, 6)
        return " ".join(self.sentence(rng) for _ in range(count))

    def text(self, rng: Random, words: int) -> list[str]:
        """Paragraphs that have so many words or a few more."""
        found: list[str] = []
        while words > 0:
            found.append(self.paragraph(rng))
            words -= found[-1].count(" ") + 1
        return found

    def title(self, rng: Random) -> str:
        text = self.clause(rng)
        if rng.random() < 0.4:
            text += f" {rng.choice(self.places)}"
        return text[0].upper() + _numbered(text[1:], rng)


def _numbered(text: str, rng: Random) -> str:
    return text.replace("#", str(rng.randint(3, 90))) if "#" in text else text


def slug(title: str) -> str:
    """A title as part of an address."""
    plain = unicodedata.normalize("NFKD", title.lower().replace("ß", "ss"))
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip(
        "-"
    )


FIRST = "Alma Bruno Clara Dario Edith Felix Greta Hugo Ines Jonas Karla Leon Mira Nils \
Olga Paul Rosa Simon Thea Viktor Wanda Yusuf Zita Anton".split()
LAST = "Abel Brandt Castell Dorn Ekman Ferrari Grant Holm Iversen Jansen Keller Lund \
Moreau Novak Olsen Pereira Quint Rossi Sander Torres Ulrich Vidal Winter Zeller".split()


def name(rng: Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def _words(text: str) -> list[str]:
    return [part.strip() for part in text.split("|")]


ENGLISH = Speech(
    _words(
        "the town council|the mayor|a group of neighbours|the harbour authority|the new "
        "director of the museum|the regional court|a small company from the north|the "
        "ministry|the oldest school in the valley|the orchestra|a team of researchers|the "
        "railway company|the union|the minister of transport|the local hospital|the "
        "football club|a fisherman and his son|the owner of the bakery|the university|a "
        "report by the auditors|the theatre|the fire brigade|the river commission|the "
        "largest employer in the area|a witness|the police|the opposition|the farmers"
    ),
    _words(
        "has approved|wants to change|rejected|is looking for|has presented|will not pay "
        "for|announced|criticised|has been waiting for|defended|is going to close|opened|"
        "has sold|discussed|has lost|is planning|postponed|welcomed|has started to build|"
        "is counting on|found|has paid for|did not mention|explained"
    ),
    _words(
        "the plan for the old bridge|a budget of # million|the new timetable|more than # "
        "complaints|the repair of the sea wall|an agreement with the neighbouring towns|a "
        "list of # open questions|the sale of the warehouse|the rules for short lets|a "
        "proposal that nobody expected|the results of the study|# new jobs|the end of the "
        "long dispute|a second exhibition|the closure of the post office|the rising cost "
        "of energy|the first stage of the works|a programme for young readers|the "
        "contract with the supplier|a night bus to the airport|the missing documents|a "
        "garden on the roof|the forecast for the coming winter|lower fares for students"
    ),
    _words(
        "on Monday evening|in front of the town hall|after a debate of three hours|at the "
        "end of the year|in spite of the rain|without giving a reason|for the second time "
        "this month|in the coming weeks|before the summer holidays|during a meeting with "
        "residents|at a cost that is not yet known|in a letter to its members|near the "
        "old station|with the help of volunteers|since the beginning of May|as many had "
        "hoped|on the last day of the festival|at the request of the committee"
    ),
    _words("and|but|while|because|although|so that in the end|after|as"),
    "said",
    "“”",
)
GERMAN = Speech(
    _words(
        "der Stadtrat|die Bürgermeisterin|eine Gruppe von Nachbarn|die Hafenbehörde|das "
        "Landgericht|ein kleines Unternehmen aus dem Norden|das Ministerium|die älteste "
        "Schule im Tal|das Orchester|ein Team von Forschern|die Bahn|die Gewerkschaft|der "
        "Verkehrsminister|das Krankenhaus|der Fußballverein|ein Fischer und sein Sohn|die "
        "Besitzerin der Bäckerei|die Universität|das Theater|die Feuerwehr|die Opposition|"
        "der größte Arbeitgeber der Gegend|eine Zeugin|die Polizei"
    ),
    _words(
        "beschließt|verändert|verwirft|sucht|erklärt|bezahlt|verteidigt|eröffnet|verkauft|"
        "bespricht|verliert|plant|verschiebt|begrüßt|baut|findet|kritisiert|erwartet|"
        "verlangt|kennt|prüft"
    ),
    _words(
        "den Plan für die alte Brücke|einen Haushalt von # Millionen|den neuen Fahrplan|"
        "mehr als # Beschwerden|die Reparatur der Ufermauer|eine Vereinbarung mit den "
        "Nachbarorten|eine Liste von # offenen Fragen|den Verkauf des Lagerhauses|die "
        "Regeln für Ferienwohnungen|einen überraschenden Vorschlag|die "
        "Ergebnisse der Studie|# neue Stellen|das Ende des langen Streits|eine zweite "
        "Ausstellung|die Schließung der Post|die steigenden Kosten der Energie|den ersten "
        "Abschnitt der Arbeiten|ein Programm für junge Leser|den Vertrag mit dem "
        "Lieferanten|einen Garten auf dem Dach|die fehlenden Unterlagen"
    ),
    _words(
        "am Montagabend|vor dem Rathaus|nach einer Debatte von drei Stunden|am Ende des "
        "Jahres|trotz des Regens|ohne einen Grund zu nennen|zum zweiten Mal in diesem "
        "Monat|in den kommenden Wochen|vor den Sommerferien|bei einem Treffen mit den "
        "Bewohnern|in einem Brief an die Mitglieder|in der Nähe des alten Bahnhofs|mit "
        "der Hilfe von Freiwilligen|seit Anfang Mai|wie viele es gehofft hatten|auf "
        "Wunsch des Ausschusses"
    ),
    _words("und|aber|denn|doch|sondern"),
    "sagt",
    "„“",
)
FRENCH = Speech(
    _words(
        "le conseil municipal|la maire|un groupe de voisins|le tribunal|une petite "
        "entreprise du nord|le ministère|la plus vieille école de la vallée|l'orchestre|"
        "une équipe de chercheurs|la compagnie des chemins de fer|le syndicat|l'hôpital|le "
        "club de football|un pêcheur et son fils|la patronne de la boulangerie|"
        "l'université|le théâtre|l'opposition|la police|le port"
    ),
    _words(
        "a approuvé|veut changer|a rejeté|cherche|a présenté|ne paiera pas|annonce|"
        "critique|attend|défend|va fermer|a ouvert|a vendu|a perdu|prépare|a reporté|"
        "salue|explique"
    ),
    _words(
        "le projet du vieux pont|un budget de # millions|les nouveaux horaires|plus de # "
        "plaintes|la réparation de la digue|un accord avec les villes voisines|une liste "
        "de # questions ouvertes|la vente de l'entrepôt|une proposition que personne "
        "n'attendait|les résultats de l'étude|# nouveaux emplois|la fin de la longue "
        "dispute|une deuxième exposition|la fermeture de la poste|le prix de l'énergie|"
        "un programme pour les jeunes lecteurs|le contrat avec le fournisseur|un jardin "
        "sur le toit"
    ),
    _words(
        "lundi soir|devant la mairie|après un débat de trois heures|à la fin de l'année|"
        "malgré la pluie|sans donner de raison|pour la deuxième fois ce mois-ci|dans les "
        "prochaines semaines|avant les vacances d'été|pendant une réunion avec les "
        "habitants|dans une lettre à ses membres|près de la vieille gare|avec l'aide de "
        "bénévoles|depuis le début du mois de mai|à la demande de la commission"
    ),
    _words("et|mais|car|alors que|parce que|tandis que"),
    "dit",
    "«»",
)
SPANISH = Speech(
    _words(
        "el ayuntamiento|la alcaldesa|un grupo de vecinos|el tribunal|una pequeña empresa "
        "del norte|el ministerio|la escuela más antigua del valle|la orquesta|un equipo "
        "de investigadores|la compañía de trenes|el sindicato|el hospital|el club de "
        "fútbol|un pescador y su hijo|la dueña de la panadería|la universidad|el teatro|"
        "la oposición|la policía|el puerto"
    ),
    _words(
        "ha aprobado|quiere cambiar|rechazó|busca|ha presentado|no pagará|anunció|"
        "criticó|espera|defiende|va a cerrar|abrió|ha vendido|perdió|prepara|aplazó|"
        "celebra|explica"
    ),
    _words(
        "el plan del puente viejo|un presupuesto de # millones|los nuevos horarios|más de "
        "# quejas|la reparación del muro|un acuerdo con los pueblos vecinos|una lista de # "
        "preguntas abiertas|la venta del almacén|una propuesta que nadie esperaba|los "
        "resultados del estudio|# nuevos empleos|el final de la larga disputa|una segunda "
        "exposición|el cierre de la oficina de correos|el precio de la energía|un "
        "programa para los jóvenes lectores|el contrato con el proveedor|un jardín en el "
        "tejado"
    ),
    _words(
        "el lunes por la tarde|delante del ayuntamiento|después de un debate de tres "
        "horas|al final del año|a pesar de la lluvia|sin dar una razón|por segunda vez "
        "este mes|en las próximas semanas|antes de las vacaciones de verano|durante una "
        "reunión con los vecinos|en una carta a sus socios|cerca de la vieja estación|con "
        "la ayuda de voluntarios|desde principios de mayo|a petición de la comisión"
    ),
    _words("y|pero|porque|mientras|aunque|ya que"),
    "dice",
    "«»",
)
ITALIAN = Speech(
    _words(
        "il consiglio comunale|la sindaca|un gruppo di vicini|il tribunale|una piccola "
        "azienda del nord|il ministero|la scuola più antica della valle|l'orchestra|una "
        "squadra di ricercatori|la compagnia dei treni|il sindacato|l'ospedale|la squadra "
        "di calcio|un pescatore e suo figlio|la padrona del forno|l'università|il teatro|"
        "l'opposizione|la polizia|il porto"
    ),
    _words(
        "ha approvato|vuole cambiare|ha respinto|cerca|ha presentato|non pagherà|annuncia|"
        "critica|aspetta|difende|sta per chiudere|ha aperto|ha venduto|ha perso|prepara|"
        "ha rinviato|saluta|spiega"
    ),
    _words(
        "il progetto del vecchio ponte|un bilancio di # milioni|i nuovi orari|più di # "
        "reclami|la riparazione della diga|un accordo con i paesi vicini|una lista di # "
        "domande aperte|la vendita del magazzino|una proposta che nessuno si aspettava|i "
        "risultati dello studio|# nuovi posti di lavoro|la fine della lunga disputa|una "
        "seconda mostra|la chiusura della posta|il prezzo dell'energia|un programma per i "
        "giovani lettori|il contratto con il fornitore|un giardino sul tetto"
    ),
    _words(
        "lunedì sera|davanti al municipio|dopo un dibattito di tre ore|alla fine "
        "dell'anno|nonostante la pioggia|senza dare una ragione|per la seconda volta "
        "questo mese|nelle prossime settimane|prima delle vacanze estive|durante un "
        "incontro con gli abitanti|in una lettera ai suoi soci|vicino alla vecchia "
        "stazione|con l'aiuto di volontari|dall'inizio di maggio|su richiesta della "
        "commissione"
    ),
    _words("e|ma|perché|mentre|anche se|poiché"),
    "dice",
    "«»",
)
# As people write in a forum or a diary.
TALK = Speech(
    _words(
        "I|my brother|the guy at the shop|my old bike|the manual|my neighbour|we|everybody "
        "here|the seller|this kit|the mechanic|nobody I know|my wife|the previous owner|"
        "the bearing|that adhesive|the second gear|you"
    ),
    _words(
        "finally fixed|could not find|would not touch|had to replace|ordered|never really "
        "understood|should look at|cleaned|forgot about|swears by|broke|measured|painted|"
        "gave up on|got rid of|tightened|wasted a weekend on|kept"
    ),
    _words(
        "the rear brake|a set of # mm bolts|the wiring behind the panel|that strange "
        "noise|the whole gearbox|a cheap copy from the market|the rust under the seat|the "
        "original parts|about # photos of it|a new chain|the leaking valve|the front "
        "wheel|those tiny screws|the thread about tyres|the cable|the carburettor|a spare "
        "battery|the instructions"
    ),
    _words(
        "last weekend|in the garage|for less than # euros|before the trip|after reading "
        "this|with a bit of patience|to be honest|in the end|on the second try|without "
        "any tools|when it was already dark|at the last meeting|thanks to your tip|the "
        "hard way|two years ago|just in case"
    ),
    _words("and|but|because|so|although|and then|even though"),
    "says",
    '""',
)
# As manuals are written.
MANUAL = Speech(
    _words(
        "the scheduler|each worker|the default handler|this option|a queue|the connection "
        "pool|the client|an empty value|the parser|every plugin|the cache|the command line|"
        "a callback|the configuration file|the server|the storage backend|a failed task|"
        "the logger"
    ),
    _words(
        "returns|accepts|raises an error for|ignores|overrides|is called with|depends on|"
        "keeps|replaces|does not change|waits for|reads|validates|writes|closes|creates|"
        "retries|limits"
    ),
    _words(
        "the list of pending tasks|a timeout of # seconds|the value from the environment|"
        "all open connections|the name of the queue|an iterator of records|the settings of "
        "the project|at most # items|the result of the previous call|unknown keys|a path "
        "that is relative to the project|the state of the worker|the order of the "
        "arguments|a copy of the message|the encoding of the file|the maximum number of "
        "retries"
    ),
    _words(
        "by default|when it is started|if no value is given|before the first task runs|in "
        "a separate process|unless strict mode is on|as described below|for every request|"
        "on all supported platforms|after the connection is lost|at the end of the run|"
        "during start-up|without blocking the loop|since version 1.#"
    ),
    _words("and|but|so|because|while|whereas|unless"),
    "says",
    '""',
)
LANGUAGES = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "it": ITALIAN,
}
