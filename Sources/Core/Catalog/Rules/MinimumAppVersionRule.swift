struct MinimumAppVersionRule: SingleFindingRule {
    static let identifier = "minimum-app-version"
    static let explanation =
        "A minimumAppVersion that is not a version number is ignored: the product is offered to older apps too."
    static let concerns: ProductTraits = .keys(.minimumAppVersion)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.product.minimumAppVersion == nil, let version = declaration.text(.minimumAppVersion) else {
            return nil
        }
        return finding(
            .warning,
            "minimumAppVersion \(version.value.quoted) is not a version number such as 2.10 and is ignored",
            at: version.position)
    }
}
