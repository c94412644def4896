import type { MessagesLike } from "../catalogue.ts"
import type { projects as english } from "./en.ts"

export const projects: MessagesLike<typeof english> = {
  "projects.lead": "Des chats sur un même sujet, avec les documents et les consignes qu’ils partagent.",
  "projects.new": "Nouveau projet",
  "projects.name": "Nom",
  "projects.create": "Créer",
  "projects.none": "Vous n’avez pas encore de projet.",
  "projects.none.text":
    "Chaque réponse d’un projet lit ses documents et suit ses consignes : inutile de les joindre à chaque chat.",
  "projects.documents": { one: "{count} document", other: "{count} documents" },
  "projects.project": "Projet :",
  "projects.back": "Tous les projets",
  "projects.chat": "Nouveau chat dans ce projet",
  "projects.menu": "Options du projet {name}",
  "projects.chats": "Chats de ce projet",
  "projects.chats.none": "Ce projet ne contient encore aucun chat.",
  "projects.settings": "Ce que lit chaque réponse",
  "projects.instructions": "Consignes",
  "projects.instructions.text":
    "Les réponses de ce projet les suivent, après vos propres consignes dans les paramètres. Elles comptent comme entrée.",
  "projects.documents.title": "Documents",
  "projects.documents.text": "Chaque réponse de ce projet peut les lire.",
  "projects.documents.upload": "Importez votre premier document",
  "projects.save": "Enregistrer",
  "projects.saved": "Enregistré.",
  "projects.delete": "Supprimer le projet",
  "projects.delete.title": "Supprimer ce projet ?",
  "projects.delete.text": "« {name} » est supprimé. Ses chats et ses documents restent.",
  "projects.gone": "Ce projet n’existe pas ; il a peut-être été supprimé.",
  "projects.move.title": "Déplacer le chat",
  "projects.move.to": "Projet",
  "projects.move.none": "Aucun projet",
  "projects.move.action": "Déplacer"
}
