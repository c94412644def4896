/** Everyday prose in many languages and scripts, for counting tokens. */
export const prose: Readonly<Record<string, string>> = {
  English:
    "The warranty covers parts and labour for two years from the day of delivery. If something breaks sooner, send it back with the receipt and we repair it free of charge.",
  German:
    "Die Garantie gilt zwei Jahre ab dem Tag der Lieferung. Geht vorher etwas kaputt, schicken Sie es mit der Rechnung zurück, und wir reparieren es kostenlos.",
  French:
    "La garantie couvre les pièces et la main-d'œuvre pendant deux ans à compter de la livraison. Si l'appareil tombe en panne plus tôt, renvoyez-le avec la facture.",
  Spanish:
    "La garantía cubre las piezas y la mano de obra durante dos años desde el día de la entrega. Si algo se rompe antes, devuélvalo con el recibo y lo arreglamos gratis.",
  Portuguese:
    "A garantia cobre peças e mão de obra por dois anos a partir da entrega. Se algo quebrar antes disso, devolva o aparelho com a nota fiscal e nós o consertamos sem custo.",
  Italian:
    "La garanzia copre i pezzi e la manodopera per due anni dalla consegna. Se qualcosa si rompe prima, rispeditelo con la ricevuta e lo ripariamo gratuitamente.",
  Dutch:
    "De garantie dekt onderdelen en arbeid gedurende twee jaar na de levering. Gaat er eerder iets stuk, stuur het dan terug met de bon en wij repareren het gratis.",
  Polish:
    "Gwarancja obejmuje części i robociznę przez dwa lata od dnia dostawy. Jeśli coś zepsuje się wcześniej, proszę odesłać urządzenie z rachunkiem, a naprawimy je bezpłatnie.",
  Czech:
    "Záruka platí dva roky ode dne dodání. Pokud se něco pokazí dříve, pošlete přístroj zpět s účtenkou a my ho bezplatně opravíme.",
  Swedish:
    "Garantin gäller i två år från leveransdagen. Om något går sönder tidigare skickar du tillbaka det med kvittot, så lagar vi det utan kostnad.",
  Finnish:
    "Takuu kattaa osat ja työn kahden vuoden ajan toimituspäivästä. Jos jokin hajoaa aikaisemmin, lähetä laite takaisin kuitin kanssa, niin korjaamme sen maksutta.",
  Turkish:
    "Garanti, teslimat gününden itibaren iki yıl boyunca parça ve işçiliği kapsar. Daha önce bir şey bozulursa faturasıyla birlikte geri gönderin, ücretsiz onaralım.",
  Vietnamese:
    "Bảo hành bao gồm linh kiện và công sửa chữa trong hai năm kể từ ngày giao hàng. Nếu hỏng sớm hơn, xin gửi lại kèm hóa đơn, chúng tôi sửa miễn phí.",
  Indonesian:
    "Garansi mencakup suku cadang dan tenaga kerja selama dua tahun sejak hari pengiriman. Jika rusak lebih cepat, kirim kembali beserta kuitansi dan kami perbaiki gratis.",
  Russian:
    "Гарантия действует два года со дня доставки. Если что-то сломается раньше, отправьте прибор обратно вместе с чеком, и мы бесплатно его починим.",
  Ukrainian:
    "Гарантія діє два роки від дня доставки. Якщо щось зламається раніше, надішліть прилад назад разом із чеком, і ми безкоштовно його відремонтуємо.",
  Greek:
    "Η εγγύηση καλύπτει τα ανταλλακτικά και την εργασία για δύο χρόνια από την παράδοση. Αν χαλάσει κάτι νωρίτερα, στείλτε το πίσω με την απόδειξη.",
  Hebrew:
    "האחריות מכסה חלקים ועבודה למשך שנתיים מיום המסירה. אם משהו מתקלקל לפני כן, שלחו אותו חזרה עם הקבלה ונתקן בחינם.",
  Arabic: "يغطي الضمان القطع والعمل لمدة سنتين من يوم التسليم. إذا تعطل شيء قبل ذلك فأعده مع الإيصال وسنصلحه مجانا.",
  Persian:
    "ضمانت قطعات و کار را تا دو سال از روز تحویل پوشش می‌دهد. اگر زودتر خراب شد، آن را با رسید برگردانید تا رایگان تعمیر کنیم.",
  Hindi: "वारंटी डिलीवरी के दिन से दो साल तक पुर्जों और मरम्मत को कवर करती है। अगर कुछ पहले टूट जाए तो रसीद के साथ वापस भेजें।",
  Bengali: "ডেলিভারির দিন থেকে দুই বছর পর্যন্ত যন্ত্রাংশ ও মেরামতের ওয়ারেন্টি থাকে। আগে কিছু নষ্ট হলে রসিদসহ ফেরত পাঠান।",
  Tamil: "விநியோக நாளிலிருந்து இரண்டு ஆண்டுகள் வரை உத்தரவாதம் உண்டு. முன்பே பழுதானால் ரசீதுடன் திருப்பி அனுப்புங்கள்.",
  Thai: "การรับประกันครอบคลุมอะไหล่และค่าแรงเป็นเวลาสองปีนับจากวันส่งมอบ หากเสียก่อนหน้านั้นให้ส่งคืนพร้อมใบเสร็จ",
  Chinese: "保修期为自交货之日起两年,包括零件和人工。如果产品提前损坏,请连同收据一起寄回,我们将免费维修。",
  "Traditional Chinese": "保固期為自交貨日起兩年,包含零件與工資。若產品提前損壞,請連同收據一併寄回,我們將免費維修。",
  Japanese:
    "保証期間は納品日から二年間で、部品と修理費用が含まれます。それより早く壊れた場合は、領収書を添えて返送してください。無料で修理いたします。",
  Korean:
    "보증 기간은 배송일로부터 이 년이며 부품과 수리비가 포함됩니다. 그 전에 고장이 나면 영수증과 함께 보내 주시면 무료로 수리해 드립니다.",
  Georgian:
    "გარანტია მოქმედებს ორი წლის განმავლობაში მიწოდების დღიდან. თუ რამე ადრე გაფუჭდა, გამოგზავნეთ ქვითართან ერთად.",
  Amharic: "ዋስትናው ከተረከቡበት ቀን ጀምሮ ለሁለት ዓመት ክፍሎችን እና ጥገናን ይሸፍናል።"
}

/** Texts that are not prose. */
export const technical: Readonly<Record<string, string>> = {
  TypeScript: `export const outputTokensWithin = (credits: number, inputTokens: number): number => {
  const cost = (output: number) => priceOf({ freshInput: inputTokens, output }, price)
  if (cost(0) > credits) return 0
  for (let index = 0; index < items.length; index++) { total += items[index]!.amount * 1_000 }
  return Math.max(...values.map(({ amount }) => amount ?? 0))
}`,
  Python: `def settle(self, key: str, amount: int) -> Receipt:
    """Ends a hold."""
    if not self._holds.get(key):
        raise HoldNotFound(key)
    return Receipt(key=key, amount=min(amount, self.limit), ended_at=datetime.utcnow())`,
  JSON: `{"tiers": {"free": {"monthlyCredits": 100, "models": ["model-a-mini"]}}, "prices": {"price_123": {"topup": 5000}}}`,
  CSV: "date,amount,currency\n2026-01-31,1250.00,EUR\n2026-02-28,87.5,USD\n2026-03-31,-19.99,EUR\n",
  Markdown:
    "# Invoices\n\n| Month | Total |\n|:------|------:|\n| May   | 12.50 |\n\n- **paid** on time\n- see [the terms](https://example.com/terms?id=42)\n",
  HTML: `<div class="invoice" id="i-42"><p>Total: <strong>12.50&nbsp;€</strong></p><a href="/pay?id=42">Pay</a></div>`,
  Numbers: "3.14159 2.71828 1,234,567.89 0x1F4A9 192.168.0.1 +49 30 901820 2026-11-20T23:17:05.123Z",
  "A random id": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 sk_live_9aX2bQ7LmZ0pRtYw3VdKc8Hs",
  Emoji: "Great job! 🎉🎉 See you tomorrow 👋🏽 at the 🏖️, bring the 👨‍👩‍👧‍👦 and a ☂️ just in case 🇩🇪",
  "White space": "a\n\n\n\n        b\t\t\tc                                    d\r\n\r\n e",
  Rule: "==================================================\n--------------------------------------------------\n"
}
