using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>
/// The public and protected API of an assembly as text, one member in a line, in an order that never changes. Whatever
/// a user's code can depend on is in a line: bases, modifiers, constraints, nullability, defaults and events.
/// </summary>
internal static class PublicApi
{
    private const BindingFlags Declared = BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static;

    /// <summary>Attributes that change what compiles, or how it runs.</summary>
    private static readonly Type[] s_recorded =
    [
        typeof(AllowNullAttribute), typeof(DisallowNullAttribute), typeof(MaybeNullAttribute),
        typeof(MaybeNullWhenAttribute), typeof(NotNullAttribute), typeof(NotNullWhenAttribute),
        typeof(NotNullIfNotNullAttribute), typeof(MemberNotNullAttribute), typeof(DoesNotReturnAttribute),
        typeof(FlagsAttribute), typeof(ObsoleteAttribute), typeof(ExperimentalAttribute),
        typeof(SetsRequiredMembersAttribute), typeof(UnscopedRefAttribute),
    ];

    public static IEnumerable<string> Of(Assembly assembly) => assembly.GetTypes()
        .Where(IsVisible)
        .OrderBy(static type => type.FullName, StringComparer.Ordinal)
        .SelectMany(Of);

    public static IEnumerable<string> Of(Type type) =>
        Members(type).Order(StringComparer.Ordinal).Prepend(Describe(type));

    private static string Describe(Type type)
    {
        var kind = type.IsEnum ? "enum"
            : typeof(Delegate).IsAssignableFrom(type) ? "delegate"
            : type.IsInterface ? "interface"
            : type.IsValueType
                ? (type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly " : "")
                    + (type.IsByRefLike ? "ref struct" : "struct")
            : type is { IsAbstract: true, IsSealed: true } ? "static class"
            : type.IsSealed ? "sealed class"
            : type.IsAbstract ? "abstract class"
            : "class";
        var access = type.IsNestedFamily || type.IsNestedFamORAssem ? "protected " : "";
        return $"{Attributes(type)}{access}{kind} {type.Namespace}.{Name(type)}{Bases(type)}{Constraints(type)}";
    }

    private static string Bases(Type type)
    {
        if (type.IsEnum)
        {
            return " : " + Name(Enum.GetUnderlyingType(type));
        }

        var own = type.BaseType is { } parent && parent != typeof(object) && !type.IsValueType ? parent : null;
        var interfaces = type.GetInterfaces()
            .Where(static other => other.IsVisible)
            .Except(own?.GetInterfaces() ?? [])
            .Select(Name)
            .Order(StringComparer.Ordinal);
        string[] all = [.. own is null ? [] : new[] { NameOfBase(type, own) }, .. interfaces];
        return all.Length == 0 ? "" : " : " + string.Join(", ", all);
    }

    /// <summary>A base class has its nullability in the flags of the class: one for each type in its name.</summary>
    private static string NameOfBase(Type type, Type own)
    {
        var flags = type.GetCustomAttribute<NullableAttribute>()?.NullableFlags;
        var next = 0;
        return NameWith(own);

        string NameWith(Type part)
        {
            var hasFlag = !part.IsValueType || part.IsGenericType;
            var isNullable = hasFlag && flags is not null && flags[flags.Length == 1 ? 0 : next++] == 2;
            var name = part.IsArray ? NameWith(part.GetElementType()!) + "[]"
                : part.IsGenericType
                    ? $"{Name(part).Split('<')[0]}<{string.Join(", ", part.GetGenericArguments().Select(NameWith))}>"
                : Name(part);
            return isNullable && !part.IsValueType ? name + "?" : name;
        }
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (typeof(Delegate).IsAssignableFrom(type))
        {
            return [Line(type, type.GetMethod("Invoke")!, "Invoke")];
        }

        return
        [
            .. type.GetFields(Declared)
                .Where(static field => IsVisible(field) && !field.IsSpecialName)
                .Select(field => Line(type, field)),
            .. type.GetConstructors(Declared).Where(IsVisible).Select(constructor =>
                $"  {Attributes(constructor)}{Access(constructor)}{Name(type)}.{type.Name.Split('`')[0]}"
                + $"({Parameters(constructor)})"),
            .. type.GetProperties(Declared).Where(IsVisible).Select(property => Line(type, property)),
            .. type.GetEvents(Declared).Where(static member => IsVisible(member.AddMethod)).Select(member =>
                $"  {Attributes(member)}{Modifiers(member.AddMethod!)}event {Name(type)}.{member.Name} -> "
                + Name(new NullabilityInfoContext().Create(member))),
            .. type.GetMethods(Declared)
                .Where(static method => IsVisible(method)
                    && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal)))
                .Select(method => Line(type, method, method.Name)),
        ];
    }

    private static string Line(Type type, FieldInfo field)
    {
        var access = field.IsFamily || field.IsFamilyOrAssembly ? "protected " : "";
        var name = $"{Name(type)}.{field.Name}";
        return field.IsLiteral
            ? $"  {Attributes(field)}{access}{name} = {Value(field.GetRawConstantValue())}"
                + (type.IsEnum ? "" : " -> " + Name(field.FieldType))
            : $"  {Attributes(field)}{access}{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}"
                + $"{name} -> {Name(new NullabilityInfoContext().Create(field))}";
    }

    private static string Line(Type type, PropertyInfo property)
    {
        var most = new[] { property.GetMethod, property.SetMethod }
            .Where(IsVisible)
            .MaxBy(static method => method!.IsPublic)!;
        var required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        var index = property.GetIndexParameters().Length == 0 ? "" : $"[{Parameters(property.GetIndexParameters())}]";
        var nullability = new NullabilityInfoContext().Create(property);
        var written = nullability.WriteState != NullabilityState.Unknown
            && nullability.WriteState != nullability.ReadState
            ? $" (set: {nullability.WriteState})"
            : "";
        return $"  {Attributes(property)}{Modifiers(most)}{required}{Name(type)}.{property.Name}{index} {{"
            + Accessor(property.GetMethod, most, "get;") + Accessor(property.SetMethod, most, SetterWord(property))
            + $" }} -> {Ref(property.PropertyType, property)}{Name(nullability)}{written}";
    }

    private static string Line(Type type, MethodInfo method, string name)
    {
        var arguments = method.IsGenericMethod
            ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>"
            : "";
        var result = method.ReturnParameter;
        return $"  {Attributes(method)}{Modifiers(method)}{Name(type)}.{name}{arguments}({Parameters(method)}) -> "
            + $"{Attributes(result)}{Ref(result.ParameterType, result)}"
            + Name(new NullabilityInfoContext().Create(result))
            + string.Concat(method.IsGenericMethod ? method.GetGenericArguments().Select(Constraint) : []);
    }

    private static bool IsVisible(Type type) => type.IsPublic
        || ((type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamORAssem) && IsVisible(type.DeclaringType!));

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static bool IsVisible(PropertyInfo property) =>
        IsVisible(property.GetMethod) || IsVisible(property.SetMethod);

    private static bool IsVisible(MethodBase? method) =>
        method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    private static string Access(MethodBase method) => method.IsPublic ? "" : "protected ";

    /// <summary>A member that is no longer virtual, or no longer overridden, is another one.</summary>
    private static string Modifiers(MethodInfo method)
    {
        var isOverride = method.GetBaseDefinition() != method;
        var kind = method.IsStatic
            ? (method.IsAbstract ? "static abstract " : method.IsVirtual ? "static virtual " : "static ")
            : method.DeclaringType!.IsInterface ? (method.IsAbstract ? "" : "default ")
            : isOverride
                ? (method.IsFinal ? "sealed override " : method.IsAbstract ? "abstract override " : "override ")
            : method.IsAbstract ? "abstract "
            : method is { IsVirtual: true, IsFinal: false } ? "virtual "
            : "";
        var isReadOnly = method.DeclaringType is { IsValueType: true } owner
            && !owner.IsDefined(typeof(IsReadOnlyAttribute))
            && method.IsDefined(typeof(IsReadOnlyAttribute));
        return Access(method) + kind + (isReadOnly ? "readonly " : "");
    }

    private static string Accessor(MethodInfo? accessor, MethodInfo most, string word) => !IsVisible(accessor) ? ""
        : accessor!.IsPublic == most.IsPublic ? $" {word}"
        : $" protected {word}";

    private static string SetterWord(PropertyInfo property) =>
        property.SetMethod?.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) == true
            ? "init;"
            : "set;";

    private static string Parameters(MethodBase method) =>
        (method.IsDefined(typeof(ExtensionAttribute), false) ? "this " : "") + Parameters(method.GetParameters());

    private static string Parameters(IEnumerable<ParameterInfo> parameters) =>
        string.Join(", ", parameters.Select(static parameter =>
        {
            var scoped = parameter.IsDefined(typeof(ScopedRefAttribute)) ? "scoped " : "";
            var many = parameter.IsDefined(typeof(ParamArrayAttribute))
                || parameter.IsDefined(typeof(ParamCollectionAttribute)) ? "params " : "";
            var direction = parameter.IsOut ? "out "
                : parameter.IsIn ? "in "
                : parameter.ParameterType.IsByRef ? "ref "
                : "";
            var type = Name(new NullabilityInfoContext().Create(parameter));
            return $"{Attributes(parameter)}{scoped}{many}{direction}{type} {parameter.Name}"
                + (parameter.HasDefaultValue ? $" = {DefaultOf(parameter)}" : "");
        }));

    private static string DefaultOf(ParameterInfo parameter) =>
        parameter.DefaultValue is null && parameter.ParameterType.IsValueType
            && Nullable.GetUnderlyingType(parameter.ParameterType) is null
            ? "default"
            : Value(parameter.RawDefaultValue);

    private static string Value(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string Attributes(ICustomAttributeProvider member) => string.Concat(
        from attribute in member switch
        {
            ParameterInfo parameter => parameter.GetCustomAttributesData(),
            MemberInfo other => other.GetCustomAttributesData(),
            _ => [],
        }
        where s_recorded.Contains(attribute.AttributeType) && !IsForOldCompilers(attribute)
        let text = attribute.AttributeType.Name.Replace("Attribute", "", StringComparison.Ordinal)
        let arguments = string.Join(", ", attribute.ConstructorArguments.Select(
            static argument => Value(argument.Value)))
        orderby text
        select $"[{text}{(arguments.Length == 0 ? "" : $"({arguments})")}] ");

    /// <summary>The compiler adds it to ref structs and to constructors of types with required members.</summary>
    private static bool IsForOldCompilers(CustomAttributeData attribute) =>
        attribute.AttributeType == typeof(ObsoleteAttribute)
        && attribute.ConstructorArguments is [{ Value: string text }, ..]
        && text.EndsWith("not supported in this version of your compiler.", StringComparison.Ordinal);

    private static string Ref(Type type, ICustomAttributeProvider member) => !type.IsByRef ? ""
        : member.IsDefined(typeof(IsReadOnlyAttribute), inherit: false) ? "ref readonly "
        : "ref ";

    private static string Constraints(Type type) => string.Concat(type.GetGenericArguments().Select(Constraint));

    private static string Constraint(Type parameter)
    {
        var flags = parameter.GenericParameterAttributes;
        var variance = flags & GenericParameterAttributes.VarianceMask;
        var isStruct = flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        var isUnmanaged = parameter.GetCustomAttributesData().Any(
            static attribute => attribute.AttributeType.Name == "IsUnmanagedAttribute");
        var isClass = flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint);
        var types = parameter.GetGenericParameterConstraints();
        List<string> all =
        [
            .. If(variance != GenericParameterAttributes.None, $"{variance}"),
            .. If(isClass, NullableFlag(parameter) == 2 ? "class?" : "class"),
            .. If(isStruct, isUnmanaged ? "unmanaged" : "struct"),
            .. If(NullableFlag(parameter) == 1 && !isClass && !isStruct && types.Length == 0, "notnull"),
            .. types.Where(static type => type != typeof(ValueType)).Select(Name).Order(StringComparer.Ordinal),
            .. If(flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint) && !isStruct, "new()"),
            .. If(flags.HasFlag(GenericParameterAttributes.AllowByRefLike), "allows ref struct"),
        ];
        return all.Count == 0 ? "" : $" where {parameter.Name} : {string.Join(", ", all)}";
    }

    private static IEnumerable<string> If(bool condition, string text) => condition ? [text] : [];

    /// <summary>1: not nullable, 2: nullable. By the parameter itself, or by what it is declared in.</summary>
    private static byte NullableFlag(Type parameter)
    {
        var flag = parameter.GetCustomAttribute<NullableAttribute>()?.NullableFlags[0];
        var context = (MemberInfo?)parameter.DeclaringMethod ?? parameter.DeclaringType;
        for (; flag is null && context is not null; context = context.DeclaringType)
        {
            flag = context.GetCustomAttribute<NullableContextAttribute>()?.Flag;
        }

        return flag ?? 0;
    }

    private static string Name(NullabilityInfo info)
    {
        var type = info.Type.IsByRef ? info.Type.GetElementType()! : info.Type;
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        var name = info.ElementType is { } element ? Name(element) + "[]"
            : info.GenericTypeArguments.Length > 0
                ? $"{Name(type).Split('<')[0]}<{string.Join(", ", info.GenericTypeArguments.Select(Name))}>"
            : Name(type);
        return type.IsValueType || type.IsGenericParameter && info.ReadState == NullabilityState.Unknown ? name
            : info.ReadState == NullabilityState.Nullable ? name + "?"
            : info.ReadState == NullabilityState.Unknown ? name + "~"
            : name;
    }

    private static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return Name(type.GetElementType()!);
        }

        if (type.IsArray)
        {
            return Name(type.GetElementType()!) + "[]";
        }

        if (type.IsPointer)
        {
            return Name(type.GetElementType()!) + "*";
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        var name = type.IsNested && !type.IsGenericParameter ? $"{Name(type.DeclaringType!)}.{type.Name}" : type.Name;
        return type.IsGenericType
            ? $"{name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>"
            : name;
    }
}
