/// Phrases for the prices of subscriptions in each supported language.
extension SubscriptionPhrases {
    static let english = SubscriptionPhrases(
        "en", .oneOther,
        day: Unit("{price} a day", "{price} every {duration}", "{n} day", "{n} days"),
        week: Unit("{price} a week", "{price} every {duration}", "{n} week", "{n} weeks"),
        month: Unit("{price} a month", "{price} every {duration}", "{n} month", "{n} months"),
        year: Unit("{price} a year", "{price} every {duration}", "{n} year", "{n} years"),
        free: "{duration} free", lasting: "{price} for {duration}", then: "{offer}, then {price}")

    static let all: [SubscriptionPhrases] = [english] + germanic + romance + slavic + others + semitic + eastAsian

    private static let germanic = [
        SubscriptionPhrases(
            "de", .oneOther,
            day: Unit("{price} pro Tag", "{price} alle {duration}", "{n} Tag", "{n} Tage"),
            week: Unit("{price} pro Woche", "{price} alle {duration}", "{n} Woche", "{n} Wochen"),
            month: Unit("{price} pro Monat", "{price} alle {duration}", "{n} Monat", "{n} Monate"),
            year: Unit("{price} pro Jahr", "{price} alle {duration}", "{n} Jahr", "{n} Jahre"),
            free: "{duration} kostenlos", lasting: "{price} für {duration}", then: "{offer}, danach {price}"),
        SubscriptionPhrases(
            "nl", .oneOther,
            day: Unit("{price} per dag", "{price} per {duration}", "{n} dag", "{n} dagen"),
            week: Unit("{price} per week", "{price} per {duration}", "{n} week", "{n} weken"),
            month: Unit("{price} per maand", "{price} per {duration}", "{n} maand", "{n} maanden"),
            year: Unit("{price} per jaar", "{price} per {duration}", "{n} jaar", "{n} jaar"),
            free: "{duration} gratis", lasting: "{price} gedurende {duration}", then: "{offer}, daarna {price}"),
        SubscriptionPhrases(
            "sv", .oneOther,
            day: Unit("{price} per dag", "{price} per {duration}", "{n} dag", "{n} dagar"),
            week: Unit("{price} per vecka", "{price} per {duration}", "{n} vecka", "{n} veckor"),
            month: Unit("{price} per månad", "{price} per {duration}", "{n} månad", "{n} månader"),
            year: Unit("{price} per år", "{price} per {duration}", "{n} år", "{n} år"),
            free: "{duration} gratis", lasting: "{price} i {duration}", then: "{offer}, därefter {price}"),
        SubscriptionPhrases(
            "da", .oneOther,
            day: Unit("{price} pr. dag", "{price} pr. {duration}", "{n} dag", "{n} dage"),
            week: Unit("{price} pr. uge", "{price} pr. {duration}", "{n} uge", "{n} uger"),
            month: Unit("{price} pr. måned", "{price} pr. {duration}", "{n} måned", "{n} måneder"),
            year: Unit("{price} pr. år", "{price} pr. {duration}", "{n} år", "{n} år"),
            free: "{duration} gratis", lasting: "{price} i {duration}", then: "{offer}, derefter {price}"),
        SubscriptionPhrases(
            "nb", .oneOther,
            day: Unit("{price} per dag", "{price} per {duration}", "{n} dag", "{n} dager"),
            week: Unit("{price} per uke", "{price} per {duration}", "{n} uke", "{n} uker"),
            month: Unit("{price} per måned", "{price} per {duration}", "{n} måned", "{n} måneder"),
            year: Unit("{price} per år", "{price} per {duration}", "{n} år", "{n} år"),
            free: "{duration} gratis", lasting: "{price} i {duration}", then: "{offer}, deretter {price}"),
    ]

    private static let romance = [
        SubscriptionPhrases(
            "fr", .oneOther,
            day: Unit("{price} par jour", "{price} tous les {duration}", "{n} jour", "{n} jours"),
            week: Unit("{price} par semaine", "{price} toutes les {duration}", "{n} semaine", "{n} semaines"),
            month: Unit("{price} par mois", "{price} tous les {duration}", "{n} mois", "{n} mois"),
            year: Unit("{price} par an", "{price} tous les {duration}", "{n} an", "{n} ans"),
            free: "gratuit pendant {duration}", lasting: "{price} pendant {duration}", then: "{offer}, puis {price}"),
        SubscriptionPhrases(
            "es", .oneOther,
            day: Unit("{price} al día", "{price} cada {duration}", "{n} día", "{n} días"),
            week: Unit("{price} a la semana", "{price} cada {duration}", "{n} semana", "{n} semanas"),
            month: Unit("{price} al mes", "{price} cada {duration}", "{n} mes", "{n} meses"),
            year: Unit("{price} al año", "{price} cada {duration}", "{n} año", "{n} años"),
            free: "{duration} gratis", lasting: "{price} durante {duration}", then: "{offer}, después {price}"),
        SubscriptionPhrases(
            "it", .oneOther,
            day: Unit("{price} al giorno", "{price} ogni {duration}", "{n} giorno", "{n} giorni"),
            week: Unit("{price} a settimana", "{price} ogni {duration}", "{n} settimana", "{n} settimane"),
            month: Unit("{price} al mese", "{price} ogni {duration}", "{n} mese", "{n} mesi"),
            year: Unit("{price} all’anno", "{price} ogni {duration}", "{n} anno", "{n} anni"),
            free: "{duration} gratis", lasting: "{price} per {duration}", then: "{offer}, poi {price}"),
        SubscriptionPhrases(
            "pt", .oneOther,
            day: Unit("{price} por dia", "{price} a cada {duration}", "{n} dia", "{n} dias"),
            week: Unit("{price} por semana", "{price} a cada {duration}", "{n} semana", "{n} semanas"),
            month: Unit("{price} por mês", "{price} a cada {duration}", "{n} mês", "{n} meses"),
            year: Unit("{price} por ano", "{price} a cada {duration}", "{n} ano", "{n} anos"),
            free: "{duration} grátis", lasting: "{price} durante {duration}", then: "{offer}, depois {price}"),
    ]

    private static let slavic = [
        SubscriptionPhrases(
            "pl", .polish,
            day: Unit("{price} dziennie", "{price} co {duration}", "{n} dzień", "{n} dni", "{n} dni"),
            week: Unit("{price} tygodniowo", "{price} co {duration}", "{n} tydzień", "{n} tygodnie", "{n} tygodni"),
            month: Unit("{price} miesięcznie", "{price} co {duration}", "{n} miesiąc", "{n} miesiące", "{n} miesięcy"),
            year: Unit("{price} rocznie", "{price} co {duration}", "{n} rok", "{n} lata", "{n} lat"),
            free: "{duration} za darmo", lasting: "{price} przez {duration}", then: "{offer}, potem {price}"),
        SubscriptionPhrases(
            "cs", .czech,
            day: Unit("{price} za den", "{price} za {duration}", "{n} den", "{n} dny", "{n} dní"),
            week: Unit("{price} za týden", "{price} za {duration}", "{n} týden", "{n} týdny", "{n} týdnů"),
            month: Unit("{price} za měsíc", "{price} za {duration}", "{n} měsíc", "{n} měsíce", "{n} měsíců"),
            year: Unit("{price} za rok", "{price} za {duration}", "{n} rok", "{n} roky", "{n} let"),
            free: "{duration} zdarma", lasting: "{price} na {duration}", then: "{offer}, poté {price}"),
        // The units are in the accusative, because all phrases require it.
        SubscriptionPhrases(
            "ru", .eastSlavic,
            day: Unit("{price} в день", "{price} за {duration}", "{n} день", "{n} дня", "{n} дней"),
            week: Unit("{price} в неделю", "{price} за {duration}", "{n} неделю", "{n} недели", "{n} недель"),
            month: Unit("{price} в месяц", "{price} за {duration}", "{n} месяц", "{n} месяца", "{n} месяцев"),
            year: Unit("{price} в год", "{price} за {duration}", "{n} год", "{n} года", "{n} лет"),
            free: "{duration} бесплатно", lasting: "{price} на {duration}", then: "{offer}, затем {price}"),
        SubscriptionPhrases(
            "uk", .eastSlavic,
            day: Unit("{price} за день", "{price} за {duration}", "{n} день", "{n} дні", "{n} днів"),
            week: Unit("{price} за тиждень", "{price} за {duration}", "{n} тиждень", "{n} тижні", "{n} тижнів"),
            month: Unit("{price} за місяць", "{price} за {duration}", "{n} місяць", "{n} місяці", "{n} місяців"),
            year: Unit("{price} за рік", "{price} за {duration}", "{n} рік", "{n} роки", "{n} років"),
            free: "{duration} безкоштовно", lasting: "{price} на {duration}", then: "{offer}, потім {price}"),
    ]

    private static let others = [
        SubscriptionPhrases(
            "fi", .oneOther,
            day: Unit("{price} päivässä", "{price} / {duration}", "{n} päivä", "{n} päivää"),
            week: Unit("{price} viikossa", "{price} / {duration}", "{n} viikko", "{n} viikkoa"),
            month: Unit("{price} kuukaudessa", "{price} / {duration}", "{n} kuukausi", "{n} kuukautta"),
            year: Unit("{price} vuodessa", "{price} / {duration}", "{n} vuosi", "{n} vuotta"),
            free: "{duration} ilmaiseksi", lasting: "{duration} hintaan {price}", then: "{offer}, sitten {price}"),
        SubscriptionPhrases(
            "hu", .other,
            day: Unit("{price} naponta", "{price} / {duration}", "{n} nap"),
            week: Unit("{price} hetente", "{price} / {duration}", "{n} hét"),
            month: Unit("{price} havonta", "{price} / {duration}", "{n} hónap"),
            year: Unit("{price} évente", "{price} / {duration}", "{n} év"),
            free: "{duration} ingyen", lasting: "{price} {duration}ig", then: "{offer}, utána {price}"),
        SubscriptionPhrases(
            "tr", .other,
            day: Unit("günde {price}", "{duration} için {price}", "{n} gün"),
            week: Unit("haftada {price}", "{duration} için {price}", "{n} hafta"),
            month: Unit("ayda {price}", "{duration} için {price}", "{n} ay"),
            year: Unit("yılda {price}", "{duration} için {price}", "{n} yıl"),
            free: "{duration} ücretsiz", lasting: "{duration} boyunca {price}", then: "{offer}, sonra {price}"),
    ]

    private static let semitic = [
        SubscriptionPhrases(
            "ar", .arabic,
            day: Unit(
                "{price} يوميًا", "{price} كل {duration}", "يوم واحد", "يومين", "{n} أيام", "{n} يومًا", "{n} يوم"),
            week: Unit(
                "{price} أسبوعيًا", "{price} كل {duration}", "أسبوع واحد", "أسبوعين", "{n} أسابيع", "{n} أسبوعًا",
                "{n} أسبوع"),
            month: Unit(
                "{price} شهريًا", "{price} كل {duration}", "شهر واحد", "شهرين", "{n} أشهر", "{n} شهرًا", "{n} شهر"),
            year: Unit(
                "{price} سنويًا", "{price} كل {duration}", "سنة واحدة", "سنتين", "{n} سنوات", "{n} سنة", "{n} سنة"),
            free: "مجانًا لمدة {duration}", lasting: "{price} لمدة {duration}", then: "{offer}، ثم {price}"),
        SubscriptionPhrases(
            "he", .hebrew,
            day: Unit("{price} ליום", "{price} כל {duration}", "יום אחד", "יומיים", "{n} ימים"),
            week: Unit("{price} לשבוע", "{price} כל {duration}", "שבוע אחד", "שבועיים", "{n} שבועות"),
            month: Unit("{price} לחודש", "{price} כל {duration}", "חודש אחד", "חודשיים", "{n} חודשים"),
            year: Unit("{price} לשנה", "{price} כל {duration}", "שנה אחת", "שנתיים", "{n} שנים"),
            free: "{duration} חינם", lasting: "{price} למשך {duration}", then: "{offer}, ולאחר מכן {price}"),
    ]

    private static let eastAsian = [
        SubscriptionPhrases(
            "ja", .other,
            day: Unit("{price}/日", "{price}/{duration}", "{n}日間"),
            week: Unit("{price}/週", "{price}/{duration}", "{n}週間"),
            month: Unit("{price}/月", "{price}/{duration}", "{n}か月"),
            year: Unit("{price}/年", "{price}/{duration}", "{n}年"),
            free: "{duration}無料", lasting: "{duration}は{price}", then: "{offer}、その後{price}"),
        SubscriptionPhrases(
            "ko", .other,
            day: Unit("{price}/일", "{price}/{duration}", "{n}일"),
            week: Unit("{price}/주", "{price}/{duration}", "{n}주"),
            month: Unit("{price}/월", "{price}/{duration}", "{n}개월"),
            year: Unit("{price}/년", "{price}/{duration}", "{n}년"),
            free: "{duration} 무료", lasting: "{duration} 동안 {price}", then: "{offer}, 이후 {price}"),
        SubscriptionPhrases(
            "zh-Hans", .other,
            day: Unit("每天{price}", "每{duration}{price}", "{n}天"),
            week: Unit("每周{price}", "每{duration}{price}", "{n}周"),
            month: Unit("每月{price}", "每{duration}{price}", "{n}个月"),
            year: Unit("每年{price}", "每{duration}{price}", "{n}年"),
            free: "{duration}免费", lasting: "前{duration}{price}", then: "{offer},之后{price}"),
        SubscriptionPhrases(
            "zh-Hant", .other,
            day: Unit("每天{price}", "每{duration}{price}", "{n}天"),
            week: Unit("每週{price}", "每{duration}{price}", "{n}週"),
            month: Unit("每月{price}", "每{duration}{price}", "{n}個月"),
            year: Unit("每年{price}", "每{duration}{price}", "{n}年"),
            free: "{duration}免費", lasting: "前{duration}{price}", then: "{offer},之後{price}"),
    ]
}
