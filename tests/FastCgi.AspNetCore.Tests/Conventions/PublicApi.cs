using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>The public members of an assembly as text, one in a line, in an order that never changes.</summary>
internal static class PublicApi
{
    private const BindingFlags Declared = BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.Instance | BindingFlags.Static;

    public static IEnumerable<string> Of(Assembly assembly) => assembly.GetExportedTypes()
        .OrderBy(static type => type.FullName, StringComparer.Ordinal)
        .SelectMany(static type => Members(type).Order(StringComparer.Ordinal).Prepend(Describe(type)));

    private static string Describe(Type type)
    {
        var kind = type.IsEnum ? "enum"
            : type.IsInterface ? "interface"
            : type.IsValueType
                ? (type.GetCustomAttribute<IsReadOnlyAttribute>() is null ? "" : "readonly ")
                    + (type.IsByRefLike ? "ref struct" : "struct")
                : type is { IsAbstract: true, IsSealed: true } ? "static class"
                : type.IsSealed ? "sealed class"
                : type.IsAbstract ? "abstract class"
                : "class";
        var bases = type.IsEnum
            ? [Name(Enum.GetUnderlyingType(type))]
            : type.GetInterfaces().Where(static i => i.IsVisible).Select(Name).Order(StringComparer.Ordinal).ToArray();
        return $"{kind} {type.Namespace}.{Name(type)}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        var name = Name(type);
        foreach (var field in type.GetFields(Declared).Where(static field => field.IsPublic && !field.IsSpecialName))
        {
            yield return field.IsLiteral
                ? $"  {name}.{field.Name} = {Convert.ToString(field.GetRawConstantValue(), CultureInfo.InvariantCulture)}"
                : $"  {name}.{field.Name} -> {Name(field.FieldType)}";
        }

        foreach (var constructor in type.GetConstructors(Declared).Where(IsVisible))
        {
            yield return $"  {name}.{name.Split('<')[0]}({Parameters(constructor)})";
        }

        foreach (var property in type.GetProperties(Declared))
        {
            var accessors = Accessor(property.GetMethod, "get;") + Accessor(property.SetMethod, SetterWord(property));
            if (accessors.Length > 0)
            {
                yield return $"  {name}.{property.Name} {{{accessors} }} -> " +
                    NameWithNull(new NullabilityInfoContext().Create(property));
            }
        }

        foreach (var method in type.GetMethods(Declared).Where(static method => IsVisible(method)
            && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))))
        {
            var arguments = method.IsGenericMethod
                ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>"
                : "";
            yield return $"  {(method.IsStatic ? "static " : "")}{name}.{method.Name}{arguments}({Parameters(method)}) -> " +
                NameWithNull(new NullabilityInfoContext().Create(method.ReturnParameter));
        }
    }

    private static bool IsVisible(MethodBase? method) => method is { IsPublic: true } or { IsFamily: true };

    private static string Accessor(MethodInfo? accessor, string word) => IsVisible(accessor) ? $" {word}" : "";

    private static string SetterWord(PropertyInfo property) =>
        property.SetMethod?.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) == true
            ? "init;"
            : "set;";

    private static string Parameters(MethodBase method) =>
        (method.IsDefined(typeof(ExtensionAttribute), false) ? "this " : "")
        + string.Join(", ", method.GetParameters().Select(static parameter =>
        {
            var direction = parameter.IsOut ? "out " : parameter.IsIn ? "in " : parameter.ParameterType.IsByRef ? "ref " : "";
            return $"{direction}{NameWithNull(new NullabilityInfoContext().Create(parameter))} {parameter.Name}" +
                (parameter.HasDefaultValue ? $" = {parameter.DefaultValue ?? "null"}" : "");
        }));

    private static string NameWithNull(NullabilityInfo info)
    {
        var name = info.GenericTypeArguments.Length > 0 && Nullable.GetUnderlyingType(info.Type) is null
            ? $"{info.Type.Name.Split('`')[0]}<{string.Join(", ", info.GenericTypeArguments.Select(NameWithNull))}>"
            : Name(info.Type);
        var type = info.Type.IsByRef ? info.Type.GetElementType()! : info.Type;
        return !type.IsValueType && info.ReadState == NullabilityState.Nullable ? name + "?" : name;
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
