using System.Diagnostics.CodeAnalysis;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// The public and protected API of an assembly as text, one member in a line, in an order that never changes. Whatever
/// a user's code can depend on is in a line: bases, modifiers, constraints, nullability, defaults and events.
/// </summary>
internal static class PublicApi
{
    /// <summary>Attributes that change what compiles, or how it runs.</summary>
    private static readonly HashSet<string> s_recorded =
    [
        nameof(AllowNullAttribute), nameof(DisallowNullAttribute), nameof(MaybeNullAttribute),
        nameof(MaybeNullWhenAttribute), nameof(NotNullAttribute), nameof(NotNullWhenAttribute),
        nameof(NotNullIfNotNullAttribute), nameof(MemberNotNullAttribute), nameof(DoesNotReturnAttribute),
        nameof(FlagsAttribute), nameof(ObsoleteAttribute), nameof(ExperimentalAttribute),
        nameof(SetsRequiredMembersAttribute), nameof(UnscopedRefAttribute),
    ];

    private static readonly SymbolDisplayFormat s_name = Format(
        SymbolDisplayTypeQualificationStyle.NameAndContainingTypes, SymbolDisplayKindOptions.IncludeMemberKeyword);

    private static readonly SymbolDisplayFormat s_type = Format(
        SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces, SymbolDisplayKindOptions.IncludeTypeKeyword);

    private static readonly CSharpCompilation s_program = CSharpCompilation.Create(
        "program",
        references: ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(static path => MetadataReference.CreateFromFile(path)));

    public static IEnumerable<string> Of(Assembly assembly) => Types(Symbol(assembly).GlobalNamespace)
        .OrderBy(static type => type.ToDisplayString(s_type.WithKindOptions(default)), StringComparer.Ordinal)
        .SelectMany(Of);

    public static IEnumerable<string> Of(Type type) =>
        Of(Symbol(type.Assembly).GetTypeByMetadataName(type.FullName!)!);

    private static IEnumerable<string> Of(INamedTypeSymbol type)
    {
        var name = type.ToDisplayString(s_type);
        var constraints = type.ToDisplayString(
            s_type.AddGenericsOptions(SymbolDisplayGenericsOptions.IncludeTypeConstraints))[name.Length..];
        var access = type.DeclaredAccessibility == Accessibility.Public ? "" : "protected ";
        var kind = type.IsStatic ? "static "
            : type.TypeKind != TypeKind.Class ? ""
            : type.IsSealed ? "sealed "
            : type.IsAbstract ? "abstract "
            : "";
        return Members(type)
            .Prepend($"{Attributes(type.GetAttributes())}{access}{kind}{name}{Bases(type)}{constraints}");
    }

    private static string Bases(INamedTypeSymbol type)
    {
        var parent = type.TypeKind == TypeKind.Class && type.BaseType?.SpecialType == SpecialType.None
            ? type.BaseType
            : type.EnumUnderlyingType;
        var interfaces = type.AllInterfaces.Except(parent?.AllInterfaces ?? [], SymbolEqualityComparer.Default)
            .Where(IsVisible).Select(Name).Order(StringComparer.Ordinal);
        string[] all = [.. parent is null ? [] : new[] { Name(parent) }, .. interfaces];
        return all.Length == 0 || type.TypeKind == TypeKind.Delegate ? "" : " : " + string.Join(", ", all);

        static string Name(ISymbol? symbol) => symbol!.ToDisplayString(s_name);
    }

    private static IEnumerable<string> Members(INamedTypeSymbol type) => type.TypeKind == TypeKind.Delegate ? [] : type
        .GetMembers()
        .Where(static member => IsVisible(member) && !member.IsImplicitlyDeclared && member is not ITypeSymbol
            && member is not IMethodSymbol { AssociatedSymbol: not null })
        .Select(static member => (member.Name, Text: Describe(member)))
        .OrderBy(static member => member.Name, StringComparer.Ordinal)
        .ThenBy(static member => member.Text, StringComparer.Ordinal)
        .Select(static member => $"  {member.Text}");

    private static string Describe(ISymbol member)
    {
        var text = member.ToDisplayString(s_name.AddGenericsOptions(SymbolDisplayGenericsOptions.IncludeTypeConstraints));
        var parameters = member switch
        {
            IMethodSymbol method => method.Parameters,
            IPropertySymbol property => property.SetMethod?.Parameters ?? property.Parameters,
            _ => [],
        };
        return string.Concat([
            Attributes(member.GetAttributes()),
            Attributes((member as IMethodSymbol)?.GetReturnTypeAttributes() ?? [], "return: "),
            .. parameters.Select(static parameter => Attributes(parameter.GetAttributes(), $"{parameter.Name}: ")),
            member is { ContainingType.TypeKind: TypeKind.Interface, IsAbstract: false } ? "default " : "",
            text.StartsWith("public ", StringComparison.Ordinal) ? text["public ".Length..] : text,
        ]);
    }

    private static string Attributes(IEnumerable<AttributeData> attributes, string target = "") => string.Concat(
        from attribute in attributes
        let name = attribute.AttributeClass!.Name
        where s_recorded.Contains(name)
        let arguments = string.Join(", ", attribute.ConstructorArguments.Select(static one => one.ToCSharpString()))
        orderby name
        select $"[{target}{name[..^nameof(Attribute).Length]}{(arguments.Length == 0 ? "" : $"({arguments})")}] ");

    private static SymbolDisplayFormat Format(
        SymbolDisplayTypeQualificationStyle names, SymbolDisplayKindOptions kinds) => new(
        typeQualificationStyle: names,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters | SymbolDisplayGenericsOptions.IncludeVariance,
        memberOptions: (SymbolDisplayMemberOptions)~0,
        delegateStyle: SymbolDisplayDelegateStyle.NameAndSignature,
        parameterOptions: (SymbolDisplayParameterOptions)~0 & ~SymbolDisplayParameterOptions.IncludeOptionalBrackets,
        propertyStyle: SymbolDisplayPropertyStyle.ShowReadWriteDescriptor,
        kindOptions: kinds,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes
            | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
            | SymbolDisplayMiscellaneousOptions.IncludeNotNullableReferenceTypeModifier);

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceOrTypeSymbol parent) => parent.GetMembers()
        .OfType<INamespaceOrTypeSymbol>()
        .Where(static member => member.IsNamespace || IsVisible(member))
        .SelectMany(static member => member is INamedTypeSymbol type ? Types(member).Prepend(type) : Types(member));

    private static bool IsVisible(ISymbol? symbol) => symbol!.DeclaredAccessibility
        is Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal;

    private static IAssemblySymbol Symbol(Assembly assembly) => (IAssemblySymbol)s_program.GetAssemblyOrModuleSymbol(
        s_program.References.Single(reference => reference.Display == assembly.Location))!;
}
