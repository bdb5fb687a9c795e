/// Sentences about failures in the other languages.
extension FailurePhrase {
    static let others: [String: [FailurePhrase: String]] = [
        "tr": [
            .cancelled: "Satın alma iptal edildi.", .notForSale: "Bu şu anda kullanılamıyor.",
            .alreadyOwned: "Buna zaten sahipsiniz.", .inProgress: "Bu zaten satın alınıyor.",
            .offerNotValid: "Bu teklif sizin için geçerli değil.",
            .storeUnreachable: "Mağazaya şu anda ulaşılamıyor. Daha sonra yeniden deneyin.",
            .purchasesNotAllowed: "Bu aygıtta satın almaya izin verilmiyor.",
            .outcomeUnknown:
                "Ücret alınıp alınmadığı henüz belli değil. Yeniden satın almadan önce satın aldıklarınızı kontrol "
                + "edin.",
            .failed: "İşlem başarısız oldu ve sizden ücret alınmadı. Daha sonra yeniden deneyin.",
            .storage: "Aygıt verileri kaydedemedi. Yer açıp yeniden deneyin.",
            .notTrusted: "Satın alma doğrulanamadı. Yeniden satın almak yerine desteğe başvurun.",
            .revoked: "Bu satın alma artık geçerli değil.",
        ],
        "ar": [
            .cancelled: "تم إلغاء عملية الشراء.", .notForSale: "هذا غير متوفر حاليًا.",
            .alreadyOwned: "لديك هذا بالفعل.", .inProgress: "جارٍ شراء هذا بالفعل.",
            .offerNotValid: "هذا العرض غير متاح لك.",
            .storeUnreachable: "يتعذر الوصول إلى المتجر حاليًا. حاول مرة أخرى لاحقًا.",
            .purchasesNotAllowed: "عمليات الشراء غير مسموح بها على هذا الجهاز.",
            .outcomeUnknown: "ليس مؤكدًا بعد ما إذا كان قد تم تحصيل المبلغ منك. تحقق من مشترياتك قبل الشراء مرة أخرى.",
            .failed: "لم تنجح العملية، ولم يتم تحصيل أي مبلغ منك. حاول مرة أخرى لاحقًا.",
            .storage: "تعذر على الجهاز حفظ البيانات. وفّر بعض المساحة وحاول مرة أخرى.",
            .notTrusted: "تعذر التحقق من عملية الشراء. اتصل بالدعم بدلًا من الشراء مرة أخرى.",
            .revoked: "لم تعد عملية الشراء هذه صالحة.",
        ],
        "he": [
            .cancelled: "הרכישה בוטלה.", .notForSale: "זה לא זמין כרגע.", .alreadyOwned: "זה כבר ברשותך.",
            .inProgress: "הרכישה כבר מתבצעת.", .offerNotValid: "המבצע הזה אינו זמין עבורך.",
            .storeUnreachable: "לא ניתן להתחבר לחנות כרגע. כדאי לנסות שוב מאוחר יותר.",
            .purchasesNotAllowed: "לא ניתן לבצע רכישות במכשיר זה.",
            .outcomeUnknown: "עדיין לא ברור אם בוצע חיוב. יש לבדוק את הרכישות לפני רכישה נוספת.",
            .failed: "זה לא הצליח, ולא בוצע חיוב. כדאי לנסות שוב מאוחר יותר.",
            .storage: "המכשיר לא הצליח לשמור את הנתונים. יש לפנות מקום ולנסות שוב.",
            .notTrusted: "לא ניתן היה לאמת את הרכישה. יש לפנות לתמיכה במקום לרכוש שוב.",
            .revoked: "הרכישה הזו אינה תקפה עוד.",
        ],
        "ja": [
            .cancelled: "購入はキャンセルされました。", .notForSale: "現在ご利用いただけません。", .alreadyOwned: "すでにお持ちです。",
            .inProgress: "すでに購入手続き中です。", .offerNotValid: "このオファーはご利用いただけません。",
            .storeUnreachable: "現在ストアに接続できません。あとでもう一度お試しください。", .purchasesNotAllowed: "このデバイスでは購入が許可されていません。",
            .outcomeUnknown: "請求されたかどうかまだ確認できません。もう一度購入する前に購入履歴をご確認ください。",
            .failed: "完了できませんでした。請求は行われていません。あとでもう一度お試しください。", .storage: "デバイスにデータを保存できませんでした。空き容量を増やしてもう一度お試しください。",
            .notTrusted: "購入を確認できませんでした。もう一度購入せず、サポートにお問い合わせください。", .revoked: "この購入は無効になりました。",
        ],
        "ko": [
            .cancelled: "구입이 취소되었습니다.", .notForSale: "현재 사용할 수 없습니다.", .alreadyOwned: "이미 보유하고 있습니다.",
            .inProgress: "이미 구입하는 중입니다.", .offerNotValid: "이 혜택을 이용할 수 없습니다.",
            .storeUnreachable: "현재 스토어에 연결할 수 없습니다. 나중에 다시 시도하십시오.", .purchasesNotAllowed: "이 기기에서는 구입이 허용되지 않습니다.",
            .outcomeUnknown: "청구 여부가 아직 확실하지 않습니다. 다시 구입하기 전에 구입 내역을 확인하십시오.",
            .failed: "완료하지 못했으며 청구되지 않았습니다. 나중에 다시 시도하십시오.", .storage: "기기에 데이터를 저장하지 못했습니다. 공간을 확보하고 다시 시도하십시오.",
            .notTrusted: "구입을 확인하지 못했습니다. 다시 구입하지 말고 지원팀에 문의하십시오.", .revoked: "이 구입은 더 이상 유효하지 않습니다.",
        ],
        "zh-Hans": [
            .cancelled: "购买已取消。", .notForSale: "目前不可用。", .alreadyOwned: "你已拥有此项目。", .inProgress: "正在购买此项目。",
            .offerNotValid: "你无法使用此优惠。", .storeUnreachable: "目前无法连接商店，请稍后再试。", .purchasesNotAllowed: "此设备不允许购买。",
            .outcomeUnknown: "尚不确定是否已向你收费，请先检查购买记录再重新购买。", .failed: "操作未成功，未向你收费，请稍后再试。",
            .storage: "设备无法存储数据，请释放空间后重试。", .notTrusted: "无法验证此购买，请联系支持人员，不要重新购买。", .revoked: "此购买已失效。",
        ],
        "zh-Hant": [
            .cancelled: "購買已取消。", .notForSale: "目前無法使用。", .alreadyOwned: "你已擁有此項目。", .inProgress: "正在購買此項目。",
            .offerNotValid: "你無法使用此優惠。", .storeUnreachable: "目前無法連接商店，請稍後再試。", .purchasesNotAllowed: "此裝置不允許購買。",
            .outcomeUnknown: "尚不確定是否已向你收費，請先檢查購買記錄再重新購買。", .failed: "操作未成功，未向你收費，請稍後再試。",
            .storage: "裝置無法儲存資料，請釋出空間後重試。", .notTrusted: "無法驗證此購買，請聯絡支援人員，不要重新購買。", .revoked: "此購買已失效。",
        ],
    ]
}
